import ExecutionEnvironment from '@docusaurus/ExecutionEnvironment'
import Head from '@docusaurus/Head'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import type { ReactElement } from 'react'

/**
 * When the scripts of the home page do not load, most often because the site lies below another address than it was
 * built for, this inline script says so. It is only in the HTML: where React runs, the site did load.
 */
export default function BaseUrlBanner(): ReactElement | null {
  const { baseUrl } = useDocusaurusContext().siteConfig
  if (ExecutionEnvironment.canUseDOM) return null
  return (
    <Head>
      <script>{bannerScript(baseUrl)}</script>
    </Head>
  )
}

function bannerScript(baseUrl: string): string {
  return `
document.addEventListener('DOMContentLoaded', function () {
  if (typeof window.docusaurus !== 'undefined') return;
  var suggested = window.location.pathname.replace(/(index\\.html)?$/, '').replace(/\\/?$/, '/');
  var banner = document.createElement('div');
  banner.id = 'site-load-banner';
  banner.setAttribute('role', 'alert');
  banner.style.cssText = 'margin:20px;padding:20px;border:thick solid red;background:#b00020;color:#fff;font:18px/1.5 sans-serif';
  function line(text, size) {
    var p = document.createElement('p');
    p.style.cssText = 'margin:0 0 8px;color:#fff;font-size:' + size;
    p.textContent = text;
    banner.appendChild(p);
  }
  line('Your site did not load properly', '26px');
  line('A common reason is a wrong base URL. It is configured as ' + ${JSON.stringify(baseUrl)} + '.', '18px');
  line('Try the base URL ' + suggested, '18px');
  document.body.insertBefore(banner, document.body.firstChild);
});
`
}
