// SPDX-License-Identifier: Apache-2.0
// Pictures as ImageData: one that is drawn here, and files that a person chooses.

const GREATEST_SIDE = 720;

function makeContext(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext('2d', {willReadFrequently: true});
}

function gradient(context, from, to, colors) {
  const filling = context.createLinearGradient(...from, ...to);
  colors.forEach((color, i) => filling.addColorStop(i / (colors.length - 1), color));
  return filling;
}

function drawHills(context, top, roughness, color) {
  const {width, height} = context.canvas;
  context.beginPath();
  context.moveTo(0, height);
  for (let x = 0; x <= width; x += 2) {
    const wave = Math.sin(x * 0.011 + 7 * top) + 0.5 * Math.sin(x * 0.027 + 19 * top) +
        roughness * Math.sin(x * 0.21);
    context.lineTo(x, height * top + 22 * wave);
  }
  context.lineTo(width, height);
  context.fillStyle = color;
  context.fill();
}

export function drawLandscape() {
  const context = makeContext(640, 400), {width, height} = context.canvas;
  context.fillStyle =
      gradient(context, [0, 0], [0, height * 0.75], ['#24406e', '#6a6ea8', '#d98a8f', '#f6c98a']);
  context.fillRect(0, 0, width, height);
  context.beginPath();
  context.arc(width * 0.68, height * 0.5, 42, 0, 2 * Math.PI);
  context.fillStyle = '#fff1c9';
  context.fill();
  drawHills(context, 0.56, 0.05, '#7d6a9a');
  drawHills(context, 0.68, 0.1, '#4f5b86');
  drawHills(context, 0.82, 0.16, '#2c3f5d');
  for (let i = 0; i < 26; ++i) {
    const x = (i * 97) % width, y = height * 0.86 + ((i * 53) % 50), size = 16 + ((i * 31) % 18);
    context.fillStyle = i % 3 ? '#1b2f3c' : '#23433f';
    context.beginPath();
    context.moveTo(x, y - 2 * size);
    context.lineTo(x + size * 0.6, y + size * 0.4);
    context.lineTo(x - size * 0.6, y + size * 0.4);
    context.fill();
  }
  return context.getImageData(0, 0, width, height);
}

export async function readPicture(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, GREATEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const context = makeContext(
      Math.max(1, Math.round(bitmap.width * scale)),
      Math.max(1, Math.round(bitmap.height * scale)));
  const {width, height} = context.canvas;
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return context.getImageData(0, 0, width, height);
}
