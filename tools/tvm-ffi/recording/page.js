// SPDX-License-Identifier: Apache-2.0
(function () {
  var filter = document.querySelector('.filter'), input = filter.querySelector('input');
  var status = filter.querySelector('span'), calls = document.querySelectorAll('.calls > details');

  // Shows only the calls whose summary has the words of the filter.
  function choose() {
    var words = input.value.toLowerCase().split(/\s+/), shown = 0;
    calls.forEach(function (call) {
      var text = call.firstElementChild.textContent.toLowerCase();
      call.hidden = !words.every(function (word) { return text.includes(word); });
      shown += !call.hidden;
    });
    status.textContent = input.value.trim() ? shown + ' of ' + calls.length : '';
  }

  // Opens the call that a link goes to.
  function reveal() {
    var place = document.getElementById(location.hash.slice(1));
    var call = place && place.closest('details');
    if (!call) return;
    if (call.hidden) {
      input.value = '';
      choose();
    }
    call.open = true;
    call.scrollIntoView();
  }

  input.addEventListener('input', choose);
  filter.hidden = calls.length < 3;
  addEventListener('hashchange', reveal);
  addEventListener('load', reveal); // what is above the call has its height only then
  reveal();
  // What is printed shows everything.
  addEventListener('beforeprint', function () {
    document.querySelectorAll('details').forEach(function (details) { details.open = true; });
  });
})()
