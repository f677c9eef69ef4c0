// SPDX-License-Identifier: Apache-2.0
// What the page knows of each kernel: the fields of its form, its arguments, and how its result is
// drawn.

// ---- Numbers as people write them ----

export class InputError extends Error {
  constructor(message) {
    super(message);
    this.name = 'InputError';
  }
}

function parseNumber(text, label) {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(value)) throw new InputError(`${label}: \`${text}\` is not a number.`);
  return value;
}

function parseRow(line, label) {
  return line.trim().split(/[\s,;]+/).filter(Boolean).map((text) => parseNumber(text, label));
}

function parseMatrix(text, label) {
  const rows =
      text.split('\n').map((line) => parseRow(line, label)).filter((row) => row.length > 0);
  if (rows.length === 0) throw new InputError(`${label}: there are no numbers.`);
  rows.forEach((row, i) => {
    if (row.length !== rows[0].length) {
      throw new InputError(
          `${label}: row ${i + 1} has ${row.length} numbers, row 1 has ${rows[0].length}.`);
    }
  });
  return {values: rows.flat(), shape: [rows.length, rows[0].length]};
}

// ---- Results ----

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function drawPicture(target, pixels, [height, width], description) {
  const canvas = element('canvas', {width, height, className: 'picture'});
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', description);
  // A copy: memory that grows would leave the picture empty.
  canvas.getContext('2d').putImageData(
      new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  target.replaceChildren(canvas);
  return canvas;
}

const format = (value) => String(Number(value.toPrecision(6)));

function drawMatrix(target, values, [rows, columns]) {
  const greatest = Math.max(...values.map(Math.abs), 1e-300);
  const cell = (value) => {
    const made = element('td', {textContent: format(value)});
    made.style.setProperty('--share', `${Math.round(60 * Math.abs(value) / greatest)}%`);
    return made;
  };
  const line = (i) =>
      element('tr', {}, ...Array.from(values.subarray(i * columns, (i + 1) * columns), cell));
  const table = element(
      'table', {className: 'matrix'},
      element('caption', {textContent: `A × B, ${rows} × ${columns}`}),
      element('tbody', {}, ...Array.from({length: rows}, (_, i) => line(i))));
  target.replaceChildren(table);
}

function drawBars(target, labels, values) {
  const bar = (value, i) => {
    const percent = `${(100 * value).toFixed(1)} %`;
    const made = element(
        'li', {}, element('span', {className: 'score', textContent: labels[i]}),
        element('span', {className: 'bar'}),
        element('span', {className: 'percent', textContent: percent}));
    made.style.setProperty('--share', `${100 * value}%`);
    return made;
  };
  target.replaceChildren(element('ol', {className: 'bars'}, ...Array.from(values, bar)));
}

// ---- The kernels ----

const FILTERS = {
  'Edges': '-1 -1 -1\n-1  8 -1\n-1 -1 -1',
  'Sharpen': '0 -1 0\n-1 5 -1\n0 -1 0',
  'Emboss': '-2 -1 0\n-1 1 1\n0 1 2',
  'Blur': Array(7).fill(Array(7).fill('.0204').join(' ')).join('\n'),
  'Does not fit: 2 × 3': '1 0 -1\n1 0 -1',
};

const PLACES = {
  'All of it': {x: '-0.6', y: '0', width: '3.2', steps: '200'},
  'Seahorse valley': {x: '-0.7453', y: '0.1127', width: '0.0065', steps: '800'},
  'A small copy': {x: '-1.7687', y: '0.0017', width: '0.012', steps: '600'},
};

const MATRICES = {
  'Fits: 2 × 3 and 3 × 2': {a: '1 2 3\n4 5 6', b: '1 0\n0 1\n2 2'},
  'Does not fit: 2 × 3 and 2 × 2': {a: '1 2 3\n4 5 6', b: '1 0\n0 1'},
};

const PICTURE_FIELD = {name: 'picture', type: 'picture', label: 'Picture'};
const pictureTensor = (runtime, {data, width, height}) => runtime.tensor(data, [height, width, 4]);

// prepare() makes the arguments and gives them with a function that draws the result. What it takes
// from `make` is released after the run.
export const DEMOS = [
  {
    kernel: 'convolve',
    title: 'Filter a picture',
    origin: 'C',
    fields: [
      PICTURE_FIELD,
      {name: 'filter', type: 'choice', label: 'Filter', options: FILTERS, fills: 'weights'},
      {
        name: 'weights',
        type: 'matrix',
        label: 'Weights',
        hint: 'One row per line. The filter needs as many columns as rows, and an odd number of ' +
            'them.',
      },
    ],
    prepare(make, {picture, weights}) {
      const {values, shape} = parseMatrix(weights, 'Weights');
      const image = pictureTensor(make, picture), out = make.zeros(image.shape, 'uint8');
      return {
        args: [image, make.tensor(new Float32Array(values), shape), out],
        draw: (target) => drawPicture(target, out.array, out.shape, 'The filtered picture'),
      };
    },
  },
  {
    kernel: 'tone',
    title: 'Change the tone',
    origin: 'C written by a generator',
    source: 'tone.c',
    fields: [
      PICTURE_FIELD,
      {name: 'exposure', type: 'range', label: 'Exposure', value: 0.4, min: -2, max: 2, step: 0.05},
      {name: 'contrast', type: 'range', label: 'Contrast', value: 1.25, min: 0, max: 3, step: 0.05},
      {
        name: 'saturation',
        type: 'range',
        label: 'Saturation',
        value: 1.4,
        min: 0,
        max: 3,
        step: 0.05
      },
    ],
    prepare(make, {picture, exposure, contrast, saturation}) {
      const image = pictureTensor(make, picture), out = make.zeros(image.shape, 'uint8');
      return {
        args: [image, out, Number(exposure), Number(contrast), Number(saturation)],
        draw: (target) => drawPicture(target, out.array, out.shape, 'The picture in its new tone'),
      };
    },
  },
  {
    kernel: 'mandelbrot',
    title: 'Draw a fractal',
    origin: 'C',
    fields: [
      {name: 'place', type: 'choice', label: 'Place', options: PLACES},
      {name: 'x', type: 'number', label: 'Centre, real part'},
      {name: 'y', type: 'number', label: 'Centre, imaginary part'},
      {name: 'width', type: 'number', label: 'Width'},
      {name: 'steps', type: 'number', label: 'Steps'},
    ],
    prepare(make, inputs, change) {
      const [x, y, width, steps] =
          ['x', 'y', 'width', 'steps'].map((name) => parseNumber(inputs[name], name));
      const out = make.zeros([400, 640, 4], 'uint8');
      return {
        args: [out, x, y, width, steps],
        note: 'Click the picture to go there.',
        draw(target) {
          const canvas =
              drawPicture(target, out.array, out.shape, `The Mandelbrot set around ${x} + ${y}i`);
          canvas.classList.add('clickable');
          canvas.addEventListener('click', ({offsetX, offsetY}) => {
            const unit = width / canvas.clientWidth;
            change({
              x: format(x + unit * (offsetX - canvas.clientWidth / 2)),
              y: format(y - unit * (offsetY - canvas.clientHeight / 2)),
              width: format(width / 3),
            });
          });
        },
      };
    },
  },
  {
    kernel: 'matmul',
    title: 'Multiply matrices',
    origin: 'C',
    fields: [
      {name: 'example', type: 'choice', label: 'Example', options: MATRICES},
      {name: 'a', type: 'matrix', label: 'A', hint: 'One row per line.'},
      {name: 'b', type: 'matrix', label: 'B', hint: 'Needs as many rows as A has columns.'},
    ],
    prepare(make, inputs) {
      const a = parseMatrix(inputs.a, 'A'), b = parseMatrix(inputs.b, 'B');
      const shape = [a.shape[0], b.shape[1]], out = make.zeros(shape, 'float64');
      const tensor = (matrix) => make.tensor(new Float64Array(matrix.values), matrix.shape);
      return {
        args: [tensor(a), tensor(b), out],
        draw: (target) => drawMatrix(target, out.array, shape)
      };
    },
  },
  {
    kernel: 'softmax',
    title: 'Weigh scores',
    origin: 'C',
    fields: [
      {name: 'scores', type: 'list', label: 'Scores', value: '2.0 1.0 0.1 -1.2 1.6'},
      {
        name: 'temperature',
        type: 'range',
        label: 'Temperature',
        value: 1,
        min: 0,
        max: 5,
        step: 0.1,
        hint: 'It must be positive: at 0 you see the error.',
      },
    ],
    prepare(make, {scores, temperature}) {
      const values = parseRow(scores, 'Scores'), out = make.zeros([values.length]);
      return {
        args: [make.tensor(new Float32Array(values)), Number(temperature), out],
        draw: (target) => drawBars(target, values.map(format), out.array),
      };
    },
  },
];
