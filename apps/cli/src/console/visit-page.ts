import { pageHeaders } from './page-headers.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Shown to a person who followed a link from another site. It says where the link leads and lets them continue. It contains no
 * script and no data of the daemon, so a page that opens it learns and causes nothing.
 */
export function visitPage(request: Request): Response {
  const { pathname, search } = new URL(request.url)
  // With two slashes the link would lead to another host.
  const address = `${pathname.replace(/^\/+/, '/')}${search}`.replaceAll(/[&<>"']/g, (each) => ENTITIES[each] ?? '')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolhaven</title>
</head>
<body>
<main>
<h1>Another site sent you to Toolhaven</h1>
<p>Go on only if you want to open this page of your Toolhaven: <code>${address}</code></p>
<p><a href="${address}">Open it</a></p>
<p>A link that logs you in goes on when you press Enter in the address bar.</p>
</main>
</body>
</html>
`
  return new Response(page, {
    headers: { ...pageHeaders(), 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}
