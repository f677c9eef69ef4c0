// SPDX-License-Identifier: Apache-2.0
// The page: picks a kernel, makes its form, runs it, and shows its result, time or error.
import {DEMOS} from './demos.mjs';
import {drawLandscape, readPicture} from './picture.mjs';
import {Tensor, load} from './tvm_ffi.mjs';

// A kernel runs again until this time is over, because the clock of a browser is coarse.
const TIMED_MS = 20;

const $ = (id) => document.getElementById(id);
const page = {runtime: null, library: null, demo: DEMOS[0], picture: drawLandscape()};

// ---- Fields ----

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const control = (name) => $(`field-${name}`);

function makeControl(field) {
  const properties = {id: `field-${field.name}`, name: field.name};
  switch (field.type) {
    case 'choice': {
      const options =
          Object.keys(field.options).map((value) => make('option', {value, textContent: value}));
      return make('select', properties, ...options);
    }
    case 'matrix':
      return make('textarea', {...properties, rows: 4, spellcheck: false, autocomplete: 'off'});
    case 'range': {
      const range = make(
          'input',
          {...properties, type: 'range', min: field.min, max: field.max, step: field.step});
      range.value = field.value;
      return range;
    }
    case 'picture':
      return make('input', {...properties, type: 'file', accept: 'image/*'});
    default:
      return make('input', {
        ...properties,
        type: 'text',
        inputMode: 'text',
        autocomplete: 'off',
        value: field.value ?? ''
      });
  }
}

function makeField(field) {
  const input = makeControl(field),
        label = make('label', {htmlFor: input.id, textContent: field.label});
  const made = make('div', {className: 'field'}, label, input);
  if (field.type === 'range') {
    const output = make('output', {htmlFor: input.id, value: input.value});
    input.addEventListener('input', () => { output.value = input.value; });
    label.append(output);
  }
  if (field.type === 'choice') input.addEventListener('change', () => fillFrom(field));
  if (field.type === 'picture') addPictureParts(made, input);
  if (field.hint) {
    made.append(make('p', {id: `${input.id}-hint`, className: 'muted', textContent: field.hint}));
    input.setAttribute('aria-describedby', `${input.id}-hint`);
  }
  return made;
}

// A choice has a text for one field, or texts by the names of fields.
function fillFrom(field) {
  const chosen = field.options[control(field.name).value];
  const texts = field.fills ? {[field.fills]: chosen} : chosen;
  for (const [name, text] of Object.entries(texts)) control(name).value = text;
}

function addPictureParts(field, input) {
  const preview = make('canvas', {className: 'preview'});
  preview.setAttribute('role', 'img');
  preview.setAttribute('aria-label', 'The picture before');
  const again =
      make('button', {type: 'button', className: 'quiet', textContent: 'Use the landscape'});
  const use = (picture) => {
    page.picture = picture;
    preview.width = picture.width;
    preview.height = picture.height;
    preview.getContext('2d').putImageData(picture, 0, 0);
  };
  const read = async (file) => {
    try {
      use(await readPicture(file));
      run();
    } catch {
      showError(
          {kind: 'InputError', message: `${file.name} is no picture that this browser can read.`});
    }
  };
  again.addEventListener('click', () => {
    input.value = '';
    use(drawLandscape());
    run();
  });
  input.addEventListener('change', () => input.files.length > 0 && read(input.files[0]));
  field.addEventListener('dragover', (event) => event.preventDefault());
  field.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) read(event.dataTransfer.files[0]);
  });
  use(page.picture);
  field.append(preview, again);
}

function readInputs() {
  const inputs = {};
  for (const {name, type} of page.demo.fields)
    inputs[name] = type === 'picture' ? page.picture : control(name).value;
  return inputs;
}

function change(texts) {
  for (const [name, text] of Object.entries(texts)) control(name).value = text;
  run();
}

// ---- Kernels ----

function showKernels() {
  for (const demo of DEMOS) {
    const radio = make(
        'input', {type: 'radio', name: 'kernel', value: demo.kernel, id: `kernel-${demo.kernel}`});
    radio.checked = demo === page.demo;
    radio.addEventListener('change', () => pick(demo));
    $('kernels').append(make(
        'label', {htmlFor: radio.id}, radio, make('strong', {textContent: demo.title}),
        make('span', {className: 'muted', textContent: `${demo.kernel}, ${demo.origin}`})));
  }
}

function pick(demo) {
  page.demo = demo;
  $('doc').textContent = page.library.doc(demo.kernel);
  $('fields').replaceChildren(...demo.fields.map(makeField));
  demo.fields.filter((field) => field.type === 'choice').forEach(fillFrom);
  showSource(demo.source);
  run();
}

function showSource(file) {
  $('source').hidden = !file;
  $('source').replaceChildren(
      ...(file ? ['Written by the generator: ', make('a', {href: file, textContent: file})] : []));
}

// ---- Running ----

function describe(arg) {
  return arg instanceof Tensor ? `${arg.dtype}[${arg.shape.join(', ')}]` : String(arg);
}

function describeCall(kernel, args) {
  const {type_schema: schema} = page.library.metadata(kernel);
  const names = JSON.parse(schema).named_args.params.map(({name}) => name);
  return `${kernel}(\n${args.map((arg, i) => `  ${names[i]}: ${describe(arg)}`).join(',\n')}\n)`;
}

function formatTime(milliseconds) {
  return milliseconds < 0.1 ? `${(1000 * milliseconds).toPrecision(3)} µs` :
                              `${milliseconds.toPrecision(3)} ms`;
}

function timed(kernel, args) {
  const start = performance.now();
  let runs = 0, elapsed, returned;
  do {
    returned = kernel(...args);
    elapsed = performance.now() - start;
    ++runs;
  } while (elapsed < TIMED_MS);
  return {
    returned,
    text: `${formatTime(elapsed / runs)}${runs > 1 ? `, the mean of ${runs} runs` : ''}`
  };
}

function showError({kind, name, message, traceback}) {
  $('error-kind').textContent = `${kind ?? name}:`;
  $('error-message').textContent = message;
  $('error-details').hidden = !traceback;
  $('error-traceback').textContent = traceback ?? '';
  $('error').hidden = false;
  $('result').replaceChildren();
  for (const id of ['time', 'returned']) $(id).textContent = '–';
  $('note').textContent = '';
}

function runWith(tensors) {
  const kernel = page.library.get(page.demo.kernel);
  tensors.push(kernel);
  const keep = (made) => (tensors.push(made), made);
  const maker = {
    zeros: (...args) => keep(page.runtime.zeros(...args)),
    tensor: (...args) => keep(page.runtime.tensor(...args)),
  };
  $('call').textContent = `${page.demo.kernel}(…)`;
  const {args, draw, note} = page.demo.prepare(maker, readInputs(), change);
  $('call').textContent = describeCall(page.demo.kernel, args);
  const {returned, text} = timed(kernel, args);
  $('error').hidden = true;
  $('time').textContent = text;
  $('returned').textContent = returned === null ? 'nothing' : describe(returned);
  $('note').textContent = note ?? '';
  draw($('result'));
}

function run() {
  const owned = [];
  try {
    runWith(owned);
  } catch (error) {
    showError(error);
  } finally {
    owned.forEach((object) => object.release());
  }
}

async function start() {
  const begun = performance.now();
  page.runtime = await load(new URL('kernels.wasm', import.meta.url));
  page.library = page.runtime.systemLibrary();
  const took = Math.round(performance.now() - begun);
  const size = Math.round(page.runtime.memory.buffer.byteLength / 1024);
  $('about').textContent =
      `Runtime ${page.runtime.version}, loaded in ${took} ms, with ${size} KiB of memory.`;
}

showKernels();
$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  run();
  $('result-title').scrollIntoView({block: 'nearest'}); // on a phone it is below the inputs
});
$('form').addEventListener(
    'change', ({target}) => target.name !== 'kernel' && target.type !== 'file' && run());
$('form').addEventListener('input', ({target}) => target.type === 'range' && run());
try {
  await start();
  $('run').disabled = false;
  pick(page.demo);
} catch (error) {
  $('about').textContent = 'The runtime could not be loaded.';
  showError(error);
}
