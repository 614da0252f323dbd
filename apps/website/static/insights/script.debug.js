// The variant of development: logs what the other one would count.
;(function () {
  function view(path) {
    console.debug('[insights] view ' + path)
  }
  view(location.pathname)
  addEventListener('insights:view', function (event) {
    view(event.detail)
  })
})()
