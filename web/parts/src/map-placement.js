// Placement of the map: ranks from left to right, by dagre.
import { Graph, layout } from '@dagrejs/dagre';
import { HEIGHT, WIDTH } from './map-size.js';

/** Gaps between boxes of a rank, and between ranks. */
const GAP = 14;
const RANK_GAP = 70;
/** Maximum number of boxes for dagre's ranker `tight-tree`. Above it, `longest-path` is faster, but puts boxes without lines on the right. */
const MAX_TIGHT_TREE = 200;

/** Places the boxes with these ids. `lines` are pairs of ids. Returns the centre of each box, and the size of the layout. */
export function place(boxes, lines) {
  if (boxes.length === 0) return { width: 0, height: 0, places: {} };
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: RANK_GAP, marginx: 12, marginy: 12, ranker: boxes.length > MAX_TIGHT_TREE ? 'longest-path' : 'tight-tree' });
  graph.setDefaultEdgeLabel(() => ({}));
  // dagre's tables are plain objects: an id must not be the name of one of their properties.
  const nodes = new Map(boxes.map((id, at) => [id, `n${at}`]));
  for (const node of nodes.values()) graph.setNode(node, { width: WIDTH, height: HEIGHT });
  for (const ends of lines) {
    if (ends.every((id) => nodes.has(id))) graph.setEdge(...ends.map((id) => nodes.get(id)));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const places = [...nodes].map(([id, node]) => [id, [Math.round(graph.node(node).x), Math.round(graph.node(node).y)]]);
  return { width: Math.max(0, width), height: Math.max(0, height), places: Object.fromEntries(places) };
}
