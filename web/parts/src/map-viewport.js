// Viewport of the map: panned and zoomed by pointer, wheel, keys and buttons. One transform moves all boxes.

const [MIN_SCALE, MAX_SCALE] = [0.005, 2.5];
/** Below this scale boxes show no text. */
const READABLE = 0.35;
/** Distance of a step of `pan()`, in pixels. */
const STEP = 60;

export class Viewport {
  #frame;
  #sheet;
  #onView;
  #at = { x: 0, y: 0, scale: 1 };
  #size = { width: 1, height: 1 };
  #isQueued = false;

  /** `onView(view)` is called at most once per frame with the visible part of the map, for `BoxTexts.setView()`. */
  constructor(frame, sheet, onView) {
    [this.#frame, this.#sheet, this.#onView] = [frame, sheet, onView];
    new ResizeObserver(() => this.#apply()).observe(frame);
    frame.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    frame.addEventListener('pointerdown', (event) => this.#drag(event));
  }

  /** Sets the size of the whole map. */
  resize(size) {
    this.#size = size;
  }

  pan(x, y) {
    this.#at.x += x * STEP;
    this.#at.y += y * STEP;
    this.#apply();
  }

  /** Zooms around a point of the frame; its middle by default. */
  zoom(factor, x = this.#frame.clientWidth / 2, y = this.#frame.clientHeight / 2) {
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.#at.scale * factor));
    const change = scale / this.#at.scale;
    this.#at = { x: x - (x - this.#at.x) * change, y: y - (y - this.#at.y) * change, scale };
    this.#apply();
  }

  /** Shows the whole map. */
  fit() {
    const { clientWidth, clientHeight } = this.#frame;
    const { width, height } = this.#size;
    const scale = Math.max(MIN_SCALE, Math.min(1, clientWidth / width, clientHeight / height));
    this.#at = { x: (clientWidth - width * scale) / 2, y: Math.max(0, (clientHeight - height * scale) / 2), scale };
    this.#apply();
  }

  /** Moves as little as possible to show a box around a point of the map. */
  show([x, y], [width, height]) {
    const { scale } = this.#at;
    const move = (centre, half, room, at) => {
      const [low, high] = [at + (centre - half) * scale - 8, at + (centre + half) * scale + 8];
      return low < 0 ? -low : high > room ? room - high : 0;
    };
    this.#at.x += move(x, width / 2, this.#frame.clientWidth, this.#at.x);
    this.#at.y += move(y, height / 2, this.#frame.clientHeight, this.#at.y);
    this.#apply();
  }

  #wheel(event) {
    event.preventDefault();
    const { left, top } = this.#frame.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    else this.pan(-event.deltaX / STEP, -event.deltaY / STEP);
  }

  #drag({ button, pointerId, clientX, clientY }) {
    if (button !== 0) return;
    const from = { ...this.#at };
    let isMoved = false;
    const ended = new AbortController();
    const { signal } = ended;
    this.#frame.addEventListener('pointermove', (event) => {
      if (event.pointerId !== pointerId) return;
      const [x, y] = [event.clientX - clientX, event.clientY - clientY];
      if (!isMoved && Math.hypot(x, y) < 4) return;
      if (!isMoved) this.#frame.setPointerCapture(pointerId);
      isMoved = true;
      [this.#at.x, this.#at.y] = [from.x + x, from.y + y];
      this.#apply();
    }, { signal });
    const end = () => {
      ended.abort();
      // A drag that began on a link does not follow it.
      if (isMoved) this.#frame.addEventListener('click', (event) => (event.preventDefault(), event.stopPropagation()), { capture: true, once: true, signal: AbortSignal.timeout(50) });
    };
    this.#frame.addEventListener('pointerup', end, { signal });
    this.#frame.addEventListener('pointercancel', end, { signal });
  }

  #apply() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    requestAnimationFrame(() => {
      this.#isQueued = false;
      const { x, y, scale } = this.#at;
      this.#sheet.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
      const { clientWidth, clientHeight } = this.#frame;
      this.#onView(scale < READABLE ? null : { left: -x / scale, top: -y / scale, right: (clientWidth - x) / scale, bottom: (clientHeight - y) / scale });
    });
  }
}
