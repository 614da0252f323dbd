interface ColorMode {
  defaultMode: string
  respectPrefersColorScheme: boolean
  disableSwitch: boolean
}

/**
 * Runs right after the theme's own inline script and before anything is painted. That one takes any stored word for a
 * mode; here everything that is neither light nor dark, the stored word `system` included, counts as no choice, and
 * with the switch disabled so does everything that is stored. React follows the system only after hydration, so this
 * script listens as well.
 */
export function themeCorrection(colorMode: unknown): string {
  const { defaultMode, respectPrefersColorScheme, disableSwitch } = parse(colorMode)
  const unchosen = respectPrefersColorScheme ? `m.matches?'dark':'light'` : `'${defaultMode}'`
  const choice = respectPrefersColorScheme ? 'system' : defaultMode
  const chosen = disableSwitch ? 'false' : `t==='light'||t==='dark'`
  const follow = respectPrefersColorScheme
    ? `m.addEventListener('change',function(){` +
      `if(d.getAttribute('data-theme-choice')==='system')d.setAttribute('data-theme',${unchosen})});`
    : ''
  return (
    `(function(){var d=document.documentElement,m=window.matchMedia('(prefers-color-scheme: dark)');${follow}` +
    `var t=d.getAttribute('data-theme');if(${chosen})return;` +
    `d.setAttribute('data-theme',${unchosen});d.setAttribute('data-theme-choice','${choice}')})();`
  )
}

function parse(value: unknown): ColorMode {
  const given: Partial<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {}
  return {
    defaultMode: given['defaultMode'] === 'light' ? 'light' : 'dark',
    respectPrefersColorScheme: given['respectPrefersColorScheme'] === true,
    disableSwitch: given['disableSwitch'] === true,
  }
}

/**
 * On a host that does not redirect, `/page.html` and `/page/index.html` show the page too. The address is put right before
 * anything reads it, or the page would not be the one that was rendered.
 */
export const addressCorrection =
  "(function(){var p=location.pathname,n=p.replace(/(?:\\/index)?\\.html$/,'')||'/';" +
  "if(n!==p)history.replaceState(history.state,'',n+location.search+location.hash)})();"

/**
 * Until React has taken over, nothing else could tell the reader that a script of the page is missing. The page can be
 * read all the same, so the message does not cover it.
 */
export const loadFailure = `(function(){
var shown=false;
function show(text){
if(shown||document.documentElement.getAttribute('data-has-hydrated')==='true')return;
shown=true;
var box=document.createElement('div');
box.setAttribute('role','alert');
box.style.cssText='position:fixed;z-index:1000;left:1rem;right:1rem;bottom:1rem;max-width:40rem;margin:0 auto;padding:1rem;border-radius:10px;background:#8c1d18;color:#fff;font:16px/1.5 sans-serif;overflow-wrap:anywhere';
var line=document.createElement('p');
line.style.cssText='margin:0 0 .75rem';
line.textContent='This page did not load completely: '+text;
var button=document.createElement('button');
button.type='button';
button.style.cssText='padding:.4rem 1rem;border:1px solid #fff;border-radius:6px;background:#fff;color:#8c1d18;font:inherit;cursor:pointer';
button.textContent='Retry';
button.addEventListener('click',function(){location.reload()});
box.append(line,button);
document.body.append(box);
}
window.addEventListener('error',function(event){
var script=event.target;
if(script instanceof HTMLScriptElement&&script.src.indexOf('/assets/js/')>0)show('could not fetch '+new URL(script.src).pathname);
},true);
window.addEventListener('unhandledrejection',function(event){
if(event.reason&&event.reason.name==='ChunkLoadError')show(String(event.reason.message));
});
})();`
