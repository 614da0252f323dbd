"""A server made with the Python SDK of either generation: server.py stdio | sse PORT | streamable-http PORT"""

import sys

transport, *rest = sys.argv[1:]
place = {"host": "127.0.0.1", "port": int(rest[0])} if rest else {}

try:
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("python", **place)
    where = {}
except ImportError:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("python")
    where = place


@server.tool()
def greet(name: str) -> str:
    return f"Grüß Gott, {name}"


server.run(transport=transport, **where)
