import type { NodeId } from "../../../src/core/base/ids.ts";
import type { Strand, ThreadLayout } from "../view/branches/thread-layout.ts";

export interface ThreadMarks {
  readonly path: ReadonlySet<NodeId>;
  readonly running: ReadonlySet<NodeId>;
  readonly failed: ReadonlySet<NodeId>;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const margin = { x: 14, y: 14 };
/** Distance between the threads of a bundle while there is room, in pixels. */
const threadGap = 3;
/** Maximum number of leaves drawn as single threads; a larger bundle is one thick stroke. */
const singleThreadsMax = 160;

/**
 * Draws the forest as threads: one for every leaf, bundled along a common prefix and separating where the conversation
 * forks. The shown branch is on top in the accent colour.
 */
export function drawThreads(canvas: HTMLCanvasElement, layout: ThreadLayout, marks: ThreadMarks): void {
  const context = canvas.getContext("2d");
  const box = canvas.getBoundingClientRect();
  if (context === null || box.width === 0) return;
  const scale = devicePixelRatio;
  canvas.width = Math.round(box.width * scale);
  canvas.height = Math.round(box.height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  context.lineCap = "round";
  context.lineJoin = "round";

  const styles = getComputedStyle(canvas);
  const colour = (name: string): string => styles.getPropertyValue(name).trim();
  const paint = {
    thread: colour("--thread"),
    shown: colour("--accent"),
    ground: colour("--ground"),
    failed: colour("--bad"),
  };
  const place = placer(layout, box);
  const single = layout.leafCount <= singleThreadsMax;

  const shown: number[] = [];
  const bundles = new Map<number, Path2D>();
  layout.strands.forEach((strand, index) => {
    const onPath = marks.path.has(strand.firstId);
    if (onPath) shown.push(index);
    // A strand with only the shown thread needs no other drawing.
    if (!onPath || strand.leaves > 1) addStrand(bundles, layout, strand, place, single);
  });
  context.strokeStyle = paint.thread;
  for (const [width, path] of bundles) {
    context.lineWidth = width;
    context.stroke(path);
  }
  const shownPath = new Path2D();
  shown.forEach((index, order) => {
    const strand = layout.strands[index];
    if (strand === undefined) return;
    const offset = threadOffset(layout, strand, place.gap, shownThread(layout, shown, order));
    const parent = layout.strands[strand.from];
    const parentOffset =
      parent === undefined ? offset : threadOffset(layout, parent, place.gap, shownThread(layout, shown, order - 1));
    traceStrand(shownPath, layout, strand, place, offset, parentOffset);
  });
  context.lineWidth = 5;
  context.strokeStyle = paint.ground;
  context.stroke(shownPath);
  context.lineWidth = 2.25;
  context.strokeStyle = paint.shown;
  context.stroke(shownPath);

  layout.strands.forEach((strand, index) => {
    const onPath = marks.path.has(strand.firstId);
    const tip = onPath && shown.at(-1) === index;
    const running = marks.running.has(strand.endId);
    const failed = marks.failed.has(strand.endId);
    if (!tip && !running && !failed && (strand.leaves > 1 || !single)) return;
    const order = shown.indexOf(index);
    const offset = onPath ? threadOffset(layout, strand, place.gap, shownThread(layout, shown, order)) : 0;
    const at = { x: place.x(strand.toDepth), y: place.y(strand.across) + offset };
    dot(context, at, {
      radius: tip ? 4 : running || failed ? 3.5 : 2,
      fill: failed ? paint.failed : tip || running ? paint.shown : paint.ground,
      stroke: failed ? paint.failed : tip || running ? paint.shown : paint.thread,
      ground: paint.ground,
    });
    if (running) ring(context, at, paint.shown);
  });
}

/** Returns the strand nearest to a point, within 24 pixels. */
export function strandAt(layout: ThreadLayout, size: Size, point: Point): Strand | null {
  const place = placer(layout, size);
  let best: Strand | null = null;
  let nearest = 24;
  for (const strand of layout.strands) {
    const from = place.x(strand.fromDepth);
    const to = place.x(strand.toDepth);
    const beyond = point.x < from ? from - point.x : point.x > to ? point.x - to : 0;
    const distance = Math.hypot(beyond, place.y(strand.across) - point.y);
    if (distance < nearest) {
      nearest = distance;
      best = strand;
    }
  }
  return best;
}

interface Placer {
  readonly x: (depth: number) => number;
  readonly y: (across: number) => number;
  readonly gap: number;
}

function placer(layout: ThreadLayout, size: Size): Placer {
  const width = size.width - margin.x * 2;
  const height = size.height - margin.y * 2;
  const step = layout.leafCount > 1 ? height / (layout.leafCount - 1) : 0;
  const spread = Math.min(step, 30);
  const top = margin.y + (height - spread * (layout.leafCount - 1)) / 2;
  return {
    x: (depth) => margin.x + (depth / layout.depthMax) * width,
    y: (across) => top + across * spread,
    gap: Math.min(threadGap, spread * 0.6),
  };
}

/** Returns the index of the shown branch among a strand's threads. */
function shownThread(layout: ThreadLayout, shown: readonly number[], order: number): number {
  const index = shown[order];
  const next = shown[order + 1];
  if (index === undefined || next === undefined || layout.leafCount > singleThreadsMax) return 0;
  let before = 0;
  for (let other = index + 1; other < next; other += 1) {
    const strand = layout.strands[other];
    if (strand !== undefined && strand.from === index) before += strand.leaves;
  }
  return before + shownThread(layout, shown, order + 1);
}

function threadOffset(layout: ThreadLayout, strand: Strand, gap: number, thread: number): number {
  if (strand.leaves <= 1 || layout.leafCount > singleThreadsMax) return 0;
  return (thread - (strand.leaves - 1) / 2) * gap;
}

/** Adds a strand to the path of its thickness, so that few strokes draw many threads. */
function addStrand(
  bundles: Map<number, Path2D>,
  layout: ThreadLayout,
  strand: Strand,
  place: Placer,
  single: boolean,
): void {
  const width = single ? 1.15 : Math.min(6, 0.8 + Math.round(Math.log2(strand.leaves)) * 0.5);
  const path = bundles.get(width) ?? new Path2D();
  bundles.set(width, path);
  if (!single) return traceStrand(path, layout, strand, place, 0, 0);
  const parent = layout.strands[strand.from];
  const first = parent === undefined ? 0 : threadsBefore(layout, strand);
  for (let thread = 0; thread < strand.leaves; thread += 1) {
    const offset = threadOffset(layout, strand, place.gap, thread);
    const parentOffset = parent === undefined ? offset : threadOffset(layout, parent, place.gap, first + thread);
    traceStrand(path, layout, strand, place, offset, parentOffset);
  }
}

/** Returns the number of threads in the parent's bundle that belong to earlier branches. */
function threadsBefore(layout: ThreadLayout, strand: Strand): number {
  let before = 0;
  for (let index = strand.from + 1; layout.strands[index] !== strand; index += 1) {
    const other = layout.strands[index];
    if (other === undefined) break;
    if (other.from === strand.from) before += other.leaves;
  }
  return before;
}

function traceStrand(
  path: Path2D,
  layout: ThreadLayout,
  strand: Strand,
  place: Placer,
  offset: number,
  parentOffset: number,
): void {
  const parent = layout.strands[strand.from];
  const end = { x: place.x(strand.toDepth), y: place.y(strand.across) + offset };
  if (parent === undefined) {
    // Several first messages begin at one place: the conversation itself.
    const start = { x: place.x(0), y: place.y((layout.leafCount - 1) / 2) };
    if (Math.abs(start.y - end.y) < 0.5 || strand.leaves === layout.leafCount) {
      path.moveTo(start.x, end.y);
      path.lineTo(end.x, end.y);
    } else traceTurn(path, start, end, place);
    return;
  }
  const start = { x: place.x(strand.fromDepth), y: place.y(parent.across) + parentOffset };
  traceTurn(path, start, end, place);
}

/** Traces a thread that leaves its bundle in a curve of one and a half steps, then runs straight. */
function traceTurn(path: Path2D, start: Point, end: Point, place: Placer): void {
  const turn = Math.min(end.x, start.x + Math.max(26, (place.x(1) - place.x(0)) * 1.5));
  const middle = (start.x + turn) / 2;
  path.moveTo(start.x, start.y);
  path.bezierCurveTo(middle, start.y, middle, end.y, turn, end.y);
  path.lineTo(end.x, end.y);
}

function dot(
  context: CanvasRenderingContext2D,
  at: Point,
  look: { readonly radius: number; readonly fill: string; readonly stroke: string; readonly ground: string },
): void {
  context.beginPath();
  context.arc(at.x, at.y, look.radius + 1.5, 0, Math.PI * 2);
  context.fillStyle = look.ground;
  context.fill();
  context.beginPath();
  context.arc(at.x, at.y, look.radius, 0, Math.PI * 2);
  context.fillStyle = look.fill;
  context.fill();
  context.lineWidth = 1.2;
  context.strokeStyle = look.stroke;
  context.stroke();
}

function ring(context: CanvasRenderingContext2D, at: Point, colour: string): void {
  context.beginPath();
  context.arc(at.x, at.y, 7, 0, Math.PI * 2);
  context.globalAlpha = 0.35;
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.stroke();
  context.globalAlpha = 1;
}
