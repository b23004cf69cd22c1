// Layout of the picture of related objects: positions of its nodes, and the lines between them. dagre computes the positions; the
// page draws (web/src/drawer/related/picture.rs). Pure: sizes in, positions out, in pixels.
import { Graph, layout } from '@dagrejs/dagre';

/** dagre `nodesep`, in pixels: the gap between nodes of one rank. */
const NODE_GAP = 12;
/** dagre `ranksep` by `rankdir`, in pixels: the gap between a node and the label of a branch. */
const RANK_GAP = { LR: 14, TB: 20 };
/** Margin around all nodes, in pixels: it has room for the focus outline. */
const MARGIN = 5;
/** Id of the node that represents the object and all nodes beside it, in the layout from top to bottom. */
const MIDDLE = 'middle';

const isBeside = ({ side }) => side === 'before' || side === 'after';

/** Places the boxes of branches with dagre. Nodes keep their given order, so that a new node does not reorder the others. */
function arrange(direction, first, branches, nameOf = (id) => id) {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, nodesep: NODE_GAP, ranksep: RANK_GAP[direction] });
  graph.setDefaultEdgeLabel(() => ({}));
  const add = ({ id, size: [width, height] }) => graph.setNode(id, { width, height });
  add(first);
  for (const branch of branches) {
    const isBackwards = branch.side === 'above' || branch.side === 'before';
    const join = (from, to) => (isBackwards ? graph.setEdge(to, from) : graph.setEdge(from, to));
    add(branch);
    branch.nodes.forEach(add);
    join(nameOf(branch.from), branch.id);
    for (const { id } of branch.nodes) join(branch.id, id);
  }
  layout(graph, { disableOptimalOrderHeuristic: true });
  return new Map(graph.nodes().map((id) => [id, graph.node(id)]));
}

/** Bounding box of boxes. */
function boundsOf(boxes) {
  const edges = (centre, size, sign) => boxes.map((box) => box[centre] + (sign * box[size]) / 2);
  const [left, top] = [Math.min(...edges('x', 'width', -1)), Math.min(...edges('y', 'height', -1))];
  return { left, top, width: Math.max(...edges('x', 'width', 1)) - left, height: Math.max(...edges('y', 'height', 1)) - top };
}

const round = Math.round;

/** Midpoint of a side of a box: of the side that faces in the direction of a branch, or of the opposite side. */
function port({ x, y, width, height }, side, isFacing) {
  const sign = (side === 'above' || side === 'before') === isFacing ? -1 : 1;
  return isBeside({ side }) ? [x + (sign * width) / 2, y] : [x, y + (sign * height) / 2];
}

/** SVG path from a box to another box: straight up to the edge of the box `passes`, then curved. */
function path(side, from, to, passes = from) {
  const [x, y] = port(from, side, true);
  const [toX, toY] = port(to, side, false);
  const [outX, outY] = isBeside({ side }) ? [x, y] : [x, port(passes, side, true)[1]];
  const bends = isBeside({ side }) ? [(x + toX) / 2, y, (x + toX) / 2, toY] : [x, (outY + toY) / 2, toX, (outY + toY) / 2];
  return `M${[x, y].map(round)}L${[outX, outY].map(round)}C${bends.map(round)},${[toX, toY].map(round)}`;
}

/** Edge paths of a branch, keyed by target id: from its origin to its label, and from there to each node. */
function linesOf({ side, id, from, nodes }, boxes, self, middle) {
  // Above and below the object, a line passes the nodes beside the object.
  const trunk = path(side, boxes.get(from), boxes.get(id), from === self ? middle : undefined);
  return [[id, trunk], ...nodes.map((node) => [node.id, path(side, boxes.get(id), boxes.get(node.id))])];
}

/** Layout of all nodes on their given sides. */
function placed(self, branches) {
  const boxes = arrange('LR', self, branches.filter(isBeside));
  const beside = boundsOf([...boxes.values()]);
  const others = branches.filter((branch) => !isBeside(branch));
  const nameOf = (id) => (id === self.id ? MIDDLE : id);
  // The object is in the middle of its row, so that owners are straight above it.
  const { x } = boxes.get(self.id);
  const half = Math.max(x - beside.left, beside.left + beside.width - x);
  const tree = arrange('TB', { id: MIDDLE, size: [2 * half, beside.height] }, others, nameOf);
  const middle = tree.get(MIDDLE);
  for (const box of boxes.values()) {
    box.x += middle.x - x;
    box.y += middle.y - middle.height / 2 - beside.top;
  }
  tree.delete(MIDDLE);
  for (const [id, box] of tree) boxes.set(id, box);
  const all = boundsOf([...boxes.values()]);
  for (const box of [...boxes.values(), middle]) {
    box.x += MARGIN - all.left;
    box.y += MARGIN - all.top;
  }
  return {
    width: Math.ceil(all.width + 2 * MARGIN),
    height: Math.ceil(all.height + 2 * MARGIN),
    nodes: Object.fromEntries([...boxes].map(([id, { x, y, width, height }]) => [id, [round(x - width / 2), round(y - height / 2)]])),
    lines: Object.fromEntries(branches.flatMap((branch) => linesOf(branch, boxes, self.id, middle))),
  };
}

/**
 * Places a picture. `self` is the object, `branches` are its relations in reading order, each
 * `{ id, side, from, size, nodes: [{ id, size }] }`: `size` is that of its label, `from` the id of the object or of a node of another
 * branch. Referrers are placed on the left if the layout fits `room` (available width, px), otherwise on the right.
 */
export function place({ self, branches, room }) {
  const wide = placed(self, branches);
  if (wide.width <= room || !branches.some(({ side }) => side === 'before')) return wide;
  const narrow = placed(self, branches.map((branch) => (branch.side === 'before' ? { ...branch, side: 'after' } : branch)));
  return narrow.width < wide.width ? narrow : wide;
}

/** `place()` with JSON texts as argument and result, for the page. */
export const placeJson = (text) => JSON.stringify(place(JSON.parse(text)));
