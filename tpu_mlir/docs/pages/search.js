// Looks for words in all documents. INDEX, from index.js: [page, heading, place, text] of each section.
(function () {
  'use strict';
  var MOST = 30, AROUND = 70;
  var box = document.getElementById('search'), hits = document.getElementById('hits');
  var up = document.body.getAttribute('data-up');
  var chosen = -1;
  var sections = INDEX.map(function (one) {
    return {page: one[0], heading: one[1], place: one[2], text: one[3],
            lowPage: one[0].toLowerCase(), lowHeading: one[1].toLowerCase(), lowText: one[3].toLowerCase()};
  });

  // 0: no match. A word at the beginning of another counts more than inside one; a heading more than text.
  function scoreOf(section, words) {
    var sum = 0;
    for (var i = 0; i < words.length; ++i) {
      var score = scoreIn(section.lowHeading, words[i], 40) + scoreIn(section.lowPage, words[i], 10) + scoreIn(section.lowText, words[i], 2);
      if (!score)
        return 0;
      sum += score;
    }
    return sum;
  }

  function scoreIn(text, word, weight) {
    var at = text.indexOf(word);
    if (at < 0)
      return 0;
    var isWord = at === 0 || /[^a-z0-9]/.test(text[at - 1]);
    var isWhole = isWord && (at + word.length === text.length || /[^a-z0-9]/.test(text[at + word.length]));
    return weight * (isWhole ? 4 : isWord ? 2 : 1);
  }

  // The text around the first word that is in it, words marked; as nodes, so that names are never markup.
  function excerpt(section, words) {
    var line = document.createElement('small'), first = -1;
    words.forEach(function (word) {
      var at = section.lowText.indexOf(word);
      if (at >= 0 && (first < 0 || at < first))
        first = at;
    });
    var begin = Math.max(0, first - AROUND), end = Math.min(section.text.length, Math.max(first, 0) + 2 * AROUND);
    var text = section.text.slice(begin, end), low = text.toLowerCase(), at = 0;
    line.append(section.page + (text ? ' \u00b7 ' + (begin ? '\u2026' : '') : ''));
    while (at < text.length) {
      var next = -1, length = 0;
      words.forEach(function (word) {
        var found = low.indexOf(word, at);
        if (found >= 0 && (next < 0 || found < next)) {
          next = found;
          length = word.length;
        }
      });
      if (next < 0)
        break;
      line.append(text.slice(at, next));
      var mark = document.createElement('mark');
      mark.append(text.slice(next, next + length));
      line.append(mark);
      at = next + length;
    }
    line.append(text.slice(at) + (end < section.text.length ? '\u2026' : ''));
    return line;
  }

  function find() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    hits.textContent = '';
    chosen = -1;
    if (!words.length)
      return;
    var found = [];
    sections.forEach(function (section, index) {
      var score = scoreOf(section, words);
      if (score)
        found.push({section: section, score: score, index: index});
    });
    found.sort(function (a, b) { return b.score - a.score || a.index - b.index; });
    found.slice(0, MOST).forEach(function (hit) {
      var link = document.createElement('a');
      link.href = up + '/' + hit.section.place;
      link.append(hit.section.heading, excerpt(hit.section, words));
      hits.append(link);
    });
    var rest = document.createElement('p');
    rest.textContent = found.length > MOST ? 'and ' + (found.length - MOST) + ' more' : found.length ? '' : 'Nothing has all of these words.';
    if (rest.textContent)
      hits.append(rest);
    choose(0);
  }

  function choose(index) {
    var links = hits.querySelectorAll('a');
    if (!links.length)
      return;
    chosen = Math.max(0, Math.min(links.length - 1, index));
    links.forEach(function (link, i) { link.classList.toggle('chosen', i === chosen); });
    links[chosen].scrollIntoView({block: 'nearest'});
  }

  function close() {
    hits.textContent = '';
    chosen = -1;
  }

  box.addEventListener('input', find);
  box.addEventListener('focus', function () { if (box.value && !hits.firstChild) find(); });
  box.addEventListener('keydown', function (event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
      event.preventDefault();
    } else if (event.key === 'Enter' && chosen >= 0) {
      location.href = hits.querySelectorAll('a')[chosen].href;
      close();
    } else if (event.key === 'Escape') {
      close();
      box.blur();
    }
  });
  document.addEventListener('keydown', function (event) {
    if (event.key === '/' && document.activeElement !== box) {
      box.focus();
      event.preventDefault();
    }
  });
  document.addEventListener('click', function (event) {
    if (!event.target.closest('[role=search]'))
      close();
  });
})();
