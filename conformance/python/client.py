"""Asks a server everything a client may ask, with the Python SDK of either generation, and prints what came as JSON.

client.py http URL | sse URL | stdio COMMAND ARGUMENT...
"""

import json
import sys
from contextlib import asynccontextmanager

import anyio
import mcp

IS_FIRST_GENERATION = not hasattr(mcp, "Client")

if IS_FIRST_GENERATION:
    from mcp import types
else:
    import mcp_types as types

PATIENCE_SECONDS = 240
MEMO = "memo://a"


async def sample(_context, params):
    asked = params.messages[0].content.text
    content = types.TextContent(type="text", text=f"sampled {asked}")
    return types.CreateMessageResult(role="assistant", model="test", content=content)


async def elicit(_context, params):
    return types.ElicitResult(action="accept", content={"name": f"asked {params.message}"})


class Updates:
    """What the server tells of resources, where that comes on its own."""

    def __init__(self):
        self.uris = []
        self.came = anyio.Event()

    async def handle(self, message):
        notification = getattr(message, "root", message)
        if isinstance(notification, types.ResourceUpdatedNotification):
            self.uris.append(str(notification.params.uri))
            self.came.set()


def transport_of(kind, rest):
    if kind == "stdio":
        command = mcp.StdioServerParameters(command=rest[0], args=rest[1:])
        from mcp.client.stdio import stdio_client

        return stdio_client(command)
    if kind == "sse":
        from mcp.client.sse import sse_client

        return sse_client(rest[0], timeout=PATIENCE_SECONDS)
    from mcp.client.streamable_http import streamable_http_client

    return streamable_http_client(rest[0])


@asynccontextmanager
async def connect(kind, rest, updates):
    callbacks = {
        "sampling_callback": sample,
        "elicitation_callback": elicit,
        "message_handler": updates.handle,
    }
    if not IS_FIRST_GENERATION:
        async with mcp.Client(transport_of(kind, rest), **callbacks) as client:
            yield client, client.server_info, client.instructions
        return
    async with transport_of(kind, rest) as (read, write, *_):
        async with mcp.ClientSession(read, write, **callbacks) as client:
            hello = await client.initialize()
            yield client, hello.serverInfo, hello.instructions


def text_of(result):
    return result.content[0].text


def answer_of(result):
    """What the server got for its own request; the id of that is between it and whoever asks for it."""
    return json.loads(text_of(result)).get("result")


async def update_of(client, updates):
    is_modern = not IS_FIRST_GENERATION and client.protocol_version >= "2026-07-28"
    if is_modern:
        async with client.listen(resource_subscriptions=[MEMO]) as events:
            await client.call_tool("touch", {"uri": MEMO})
            async for event in events:
                return event.uri
    await client.subscribe_resource(MEMO)
    await client.call_tool("touch", {"uri": "memo://other"})
    await client.call_tool("touch", {"uri": MEMO})
    await updates.came.wait()
    await client.unsubscribe_resource(MEMO)
    return updates.uris[0]


async def refusal_of(client):
    try:
        await client.call_tool("no such tool", {})
    except Exception as error:
        return str(error)
    return "none"


async def ask(kind, rest):
    updates = Updates()
    steps = []

    async def on_progress(progress, total, message):
        steps.append([progress, total, message])

    async with connect(kind, rest, updates) as (client, server, instructions):
        tools = await client.list_tools()
        resource = await client.read_resource(MEMO)
        progressed = await client.call_tool("progress", {"steps": 3, "text": "p"}, progress_callback=on_progress)
        return {
            "server": [server.name, server.version],
            "instructions": instructions,
            "tools": [[tool.name, tool.description] for tool in tools.tools],
            "resource": resource.contents[0].text,
            "called": text_of(await client.call_tool("echo", {"text": "ü \U0001f980"})),
            "large": len(text_of(await client.call_tool("blob", {"bytes": 1_000_000}))),
            "progress": [steps, text_of(progressed)],
            "sampled": answer_of(await client.call_tool("sample", {"text": "one"})),
            "elicited": answer_of(await client.call_tool("elicit", {"text": "two"})),
            "updated": await update_of(client, updates),
            "refused": await refusal_of(client),
        }


async def main():
    kind, *rest = sys.argv[1:]
    with anyio.fail_after(PATIENCE_SECONDS):
        found = await ask(kind, rest)
    print(json.dumps(found, ensure_ascii=True))


anyio.run(main)
