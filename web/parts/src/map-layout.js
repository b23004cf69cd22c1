// Layout worker of the map: places boxes of one size with dagre, off the page's main thread.
import { place } from './map-placement.js';

onmessage = ({ data: { id, boxes, lines } }) => postMessage({ id, ...place(boxes, lines) });
