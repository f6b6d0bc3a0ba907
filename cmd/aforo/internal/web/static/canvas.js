// Drawing on canvases: sharp on every screen, in the colours of the style sheet.

// fit sizes a canvas to its box, and returns its context in CSS pixels.
export function fit(canvas, height) {
  const width = Math.max(100, canvas.parentElement.clientWidth);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return { ctx, width };
}

// colour is a colour of the style sheet, such as allowed.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// mark draws a decision: a disc, a diamond or a cross, so that nobody needs to
// tell colours apart.
export function mark(ctx, kind, x, y, size) {
  ctx.beginPath();
  if (kind === 'refused') {
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    ctx.moveTo(x - size, y + size);
    ctx.lineTo(x + size, y - size);
    ctx.stroke();
  } else if (kind === 'delayed') {
    ctx.moveTo(x, y - size * 1.35);
    ctx.lineTo(x + size * 1.35, y);
    ctx.lineTo(x, y + size * 1.35);
    ctx.lineTo(x - size * 1.35, y);
    ctx.closePath();
    ctx.fill();
  } else {
    ctx.arc(x, y, size, 0, 2 * Math.PI);
    ctx.fill();
  }
}

// size is how large the mark of a cost is.
export const size = (cost) => 3 + Math.min(3, Math.log2(Math.max(1, cost)) / 2);
