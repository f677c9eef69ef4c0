// SPDX-License-Identifier: Apache-2.0
// For pages: whether texts can be read.

/**
 * The texts whose colour is too close to what is behind them: a ratio of luminances, as WCAG
 * defines it, of less than `least`. The function runs in the page.
 */
export function findLowContrasts(least) {
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

  // The colour that is seen when several are painted over one another, as bytes.
  function paint(colors) {
    probe.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      probe.fillStyle = color;
      probe.fillRect(0, 0, 1, 1);
    }
    return Array.from(probe.getImageData(0, 0, 1, 1).data).slice(0, 3);
  }

  function luminance(bytes) {
    const linear = bytes.map((byte) => byte / 255)
                       .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }

  function contrast(element) {
    const behind = [];
    for (let parent = element; parent; parent = parent.parentElement) {
      behind.unshift(getComputedStyle(parent).backgroundColor);
    }
    const luminances =
        [paint([...behind, getComputedStyle(element).color]), paint(behind)].map(luminance);
    return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
  }

  const hasText = (element) => element.matches('input[type="text"], textarea, select') ||
      Array.from(element.childNodes)
          .some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
  return Array.from(document.querySelectorAll('body *'))
    .filter((element) => hasText(element) && element.checkVisibility() && contrast(element) < least)
    .map((element) => `${element.tagName} ${element.id} ${element.textContent.slice(0, 40)}`);
}
