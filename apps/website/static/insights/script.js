// Counts a page view on the server of this site. No cookie, no identifier, nothing about the reader but the page.
;(function () {
  function view(path) {
    if (navigator.sendBeacon) navigator.sendBeacon('/insights/view', path)
  }
  view(location.pathname)
  addEventListener('insights:view', function (event) {
    view(event.detail)
  })
})()
