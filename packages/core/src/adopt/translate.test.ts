import { describe, expect, it } from 'vitest'
import type { ServerDefinition } from '../ports/foreign-entries.ts'
import { isPlainValue, maskAddress, maskArguments } from './is-plain-value.ts'
import { translate } from './translate.ts'

const define = (fields: Partial<ServerDefinition>): ServerDefinition => ({
  ...{ args: [], env: {}, headers: {}, isDisabled: false, unsupported: [] },
  ...fields,
})
const planOf = (command: string, ...args: string[]) => {
  const translated = translate(define({ command, args }))
  return 'plan' in translated ? [translated.plan.image, ...translated.plan.args] : translated.obstacle
}

describe('what a command becomes', () => {
  it.each([
    ['npx -y @scope/server@1.2.3 --flag x', ['npx://@scope/server@1.2.3', '--flag', 'x']],
    ['npx server@latest', ['npx://server']],
    ['/usr/local/bin/npx --yes server', ['npx://server']],
    ['npx.cmd -y server', ['npx://server']],
    ['cmd /c npx -y server', ['npx://server']],
    ['npx --package=@scope/server server', ['npx://@scope/server']],
    ['bunx server', ['npx://server']],
    ['pnpm dlx server@1.0.0', ['npx://server@1.0.0']],
    ['npm exec -- server --x', ['npx://server', '--x']],
    ['uvx mcp-server-time==2025.1.1 --local', ['uvx://mcp-server-time@2025.1.1', '--local']],
    ['uvx --from mcp-server-git mcp-server-git', ['uvx://mcp-server-git']],
    ['uv tool run mcp-server-git', ['uvx://mcp-server-git']],
    ['pipx run mcp-server-git', ['uvx://mcp-server-git']],
    ['go run example.com/owner/server@v1.2.3 -x', ['go://example.com/owner/server@v1.2.3', '-x']],
    ['docker run -i --rm --name x ghcr.io/a/b:1 --read', ['ghcr.io/a/b:1', '--read']],
    ['podman container run --rm -it --init a/b', ['a/b']],
  ])('%s', (line, expected) => {
    const [command = '', ...args] = line.split(' ')
    expect(planOf(command, ...args)).toEqual(expected)
    // Some write the whole line as the command.
    expect(planOf(line)).toEqual(expected)
  })

  it.each([
    ['node server.js', /"node", a program of this machine/],
    ['bash -c npx', /"bash"/],
    ['npx', /names no package/],
    ['npx server@^1.0.0', /not an exact version/],
    ['npx --call x server', /option --call has no counterpart/],
    ['npx -p typescript tsc', /the command tsc of the package typescript/],
    ['npx mcp-remote https://a.example/mcp', /only forwards to https:\/\/a.example\/mcp/],
    ['uvx --from git+https://x/y y', /not the name of a Python package/],
    ['uvx --with x y', /option --with/],
    ['go run .', /"go"/],
    ['docker compose up', /not "docker run"/],
    ['docker run --privileged a/b', /--privileged/],
    ['docker run --network host a/b', /--network host has no counterpart/],
    ['docker run -v data:/data a/b', /volume data is not a folder/],
    ['docker run -e TOKEN a/b', /TOKEN comes from the shell/],
    ['docker run --rm', /names no image/],
  ])('%s cannot be adopted', (line, obstacle) => {
    const [command = '', ...args] = line.split(' ')
    expect(planOf(command, ...args)).toMatch(obstacle)
  })

  it('takes variables, mounts and the network of a container from its options', () => {
    const args =
      'run --rm -i -e TOKEN -e LEVEL=info -v /notes:/n:ro --mount type=bind,src=/a,dst=/b --network none a/b go'.split(
        ' ',
      )
    expect(translate(define({ command: 'docker', args, env: { TOKEN: 't', DOCKER_HOST: 'x' } }))).toEqual({
      plan: {
        ...{ image: 'a/b', transport: 'stdio', args: ['go'], headers: {}, hasNetwork: false, notes: [] },
        variables: { TOKEN: 't', LEVEL: 'info' },
        volumes: ['/notes:/n:ro', '/a:/b'],
      },
    })
  })

  it.each([
    [{ url: 'https://a.example/mcp' }, 'streamable-http'],
    [{ url: 'https://a.example/sse' }, 'sse'],
    [{ url: 'https://a.example/x', type: 'sse' }, 'sse'],
    [{ url: 'https://a.example/sse', type: 'http' }, 'streamable-http'],
  ])('the address of %j has the transport %s', (fields, transport) => {
    expect(translate(define(fields))).toMatchObject({ plan: { url: fields.url, transport } })
  })

  it.each([
    [{ url: 'https://a.example/mcp?api_key=x' }, /query or a password/],
    [{ url: 'https://u:p@a.example/mcp' }, /query or a password/],
    [{ url: 'ftp://a.example' }, /not an http/],
    [{}, /neither a command nor an address/],
    [{ command: 'npx', args: ['x'], isDisabled: true }, /switched off/],
    [{ command: 'npx', args: ['x'], unsupported: ['cwd'] }, /field cwd/],
    [{ command: 'npx', args: ['x'], env: { KEY: '${input:key}' } }, /only the client can fill in \$\{input:key\}/],
    [{ command: 'npx', args: ['x'], env: { KEY: '{env:KEY}' } }, /only the client can fill in \{env:KEY\}/],
    [{ fault: 'its entry is odd' }, /odd/],
  ])('%j cannot be adopted', (fields, obstacle) => {
    expect(translate(define(fields))).toEqual({ obstacle: expect.stringMatching(obstacle) })
  })

  it('leaves out variables that a workload has of its own, and says so', () => {
    const translated = translate(define({ command: 'npx', args: ['x'], env: { PATH: '/bin', A: 'b' } }))
    expect(translated).toMatchObject({
      plan: { variables: { A: 'b' }, notes: ['PATH was dropped because Toolhaven sets it for every workload'] },
    })
  })
})

describe('what is a secret', () => {
  it.each([
    ...[
      ['LOG_LEVEL', 'debug'],
      ['DEBUG', 'true'],
      ['PORT', '8080'],
      ['ROOT', '/home/me/notes'],
      ['BASE_URL', 'https://api.example.com/v1'],
      ['EMPTY_KEY', ''],
    ],
  ])('%s=%s may stay readable', (name, value) => {
    expect(isPlainValue(name, value)).toBe(true)
  })
  it.each([
    ...[
      ['GITHUB_TOKEN', 'true'],
      ['API_KEY', '123'],
      ['USER', 'somebody'],
      ['WEBHOOK', 'https://hooks.example.com/services/T000/B000/XXXXXXXXXXXXXXXX'],
    ],
    ...[
      ['URL', 'https://u:p@example.com'],
      ['URL', 'https://example.com?x=1'],
      ['DATABASE_CONN', '/x'],
      ['X', 'ghp_abc'],
      ['PIN', '1234567'],
    ],
  ])('%s=%s is moved', (name, value) => {
    expect(isPlainValue(name, value)).toBe(false)
  })
  it('keys among arguments and in addresses are not shown', () => {
    expect(
      maskArguments([
        '--api-key',
        'abc',
        '--token=abc',
        'X_KEY=abc',
        'postgres://u:pw@host/db',
        'sk-0123456789abcdefghij',
        '/notes',
        '-y',
        'server-filesystem',
      ]),
    ).toEqual([
      ...[
        '--api-key',
        '***',
        '--token=***',
        'X_KEY=***',
        'postgres://***@host/db',
        '***',
        '/notes',
        '-y',
        'server-filesystem',
      ],
    ])
    expect(maskAddress('https://a.example/mcp?key=abc#x')).toBe('https://a.example/mcp?***')
  })
})
