/**
 * A list CRDT that is plainly right and plainly slow, to compare the engine with: the tree of FugueMax (Weidner and
 * Kleppmann, "The Art of the Fugue", 2023), one node per UTF-16 unit, deletions and their cancellations as sets of
 * names. It shares nothing with the engine: no positions in updates, no event graph, no replay.
 */

/** One unit of text. */
interface Insertion {
  readonly id: string;
  readonly agent: number;
  readonly counter: number;
  readonly unit: string;
  /** The parent unit, and the side; undefined: a child of the beginning. */
  readonly parent: string | undefined;
  readonly side: "left" | "right";
  /** The right neighbour when it was written; undefined: the end. */
  readonly rightOrigin: string | undefined;
}

interface Deletion {
  readonly name: string;
  readonly unit: string;
}

/** One edit's effect, in names. */
export interface OracleOp {
  readonly insertions: readonly Insertion[];
  readonly deletions: readonly Deletion[];
  /** Names of cancelled deletions. */
  readonly cancellations: readonly Deletion[];
}

export interface OracleChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

interface Node extends Insertion {
  readonly lefts: Node[];
  readonly rights: Node[];
  readonly deletions: Set<string>;
}

export class OracleReplica {
  private readonly top: Node = node({
    id: "top",
    agent: 0,
    counter: 0,
    unit: "",
    parent: undefined,
    side: "right",
    rightOrigin: undefined,
  });
  private readonly nodes = new Map<string, Node>([["top", this.top]]);
  private readonly cancelled = new Set<string>();

  apply(op: OracleOp): void {
    for (const insertion of op.insertions) this.place(insertion);
    for (const { name, unit } of op.deletions) this.get(unit).deletions.add(name);
    for (const { name } of op.cancellations) this.cancelled.add(name);
  }

  text(): string {
    return this.order()
      .filter((each) => this.visible(each))
      .map((each) => each.unit)
      .join("");
  }

  /** The author of each unit of the text. */
  authors(): readonly number[] {
    return this.order()
      .filter((each) => this.visible(each))
      .map((each) => each.agent);
  }

  /** Makes an edit of this replica's text and applies it. `name` returns unique names. */
  edit(agent: number, changes: readonly OracleChange[], name: () => number): OracleOp {
    const insertions: Insertion[] = [];
    const deletions: Deletion[] = [];
    let shift = 0;
    for (const { from, to, insert } of changes) {
      const start = from + shift;
      const visible = this.order().filter((each) => this.visible(each));
      for (const unit of visible.slice(start, start + to - from)) {
        const deletion = { name: `deletion ${name()}`, unit: unit.id };
        deletions.push(deletion);
        unit.deletions.add(deletion.name);
      }
      let left = visible[start - 1] ?? this.top;
      for (const unit of insert.split("")) {
        const all = [this.top, ...this.order()];
        const right = all[all.indexOf(left) + 1];
        const below = right !== undefined && this.descends(right, left);
        const counter = name();
        const insertion: Insertion = {
          id: `unit ${counter}`,
          agent,
          counter,
          unit,
          parent: below ? right.id : left.id,
          side: below ? "left" : "right",
          rightOrigin: right?.id,
        };
        insertions.push(insertion);
        left = this.place(insertion);
      }
      shift += insert.length - (to - from);
    }
    return { insertions, deletions, cancellations: [] };
  }

  /** Cancels an earlier edit with a new edit, and applies it. */
  undo(op: OracleOp, name: () => number): OracleOp {
    const again = op.cancellations.map(({ unit }) => ({ name: `deletion ${name()}`, unit }));
    const cancellations = op.deletions.filter((deletion) => !this.cancelled.has(deletion.name));
    this.apply({ insertions: [], deletions: again, cancellations });
    const deletions = op.insertions
      .filter((insertion) => this.visible(this.get(insertion.id)))
      .map((insertion) => ({ name: `deletion ${name()}`, unit: insertion.id }));
    const result: OracleOp = { insertions: [], deletions: [...again, ...deletions], cancellations };
    this.apply(result);
    return result;
  }

  private get(id: string): Node {
    const found = this.nodes.get(id);
    if (found === undefined) throw new Error(`the oracle does not know ${id}`);
    return found;
  }

  private visible(each: Node): boolean {
    return [...each.deletions].every((name) => this.cancelled.has(name));
  }

  private place(insertion: Insertion): Node {
    const placed = node(insertion);
    const parent = this.get(insertion.parent ?? "top");
    const order = this.order();
    const rank = (id: string | undefined): number =>
      id === undefined ? order.length : order.findIndex((each) => each.id === id);
    const siblings = insertion.side === "left" ? parent.lefts : parent.rights;
    const before = (a: Node, b: Node): boolean => {
      if (insertion.side === "right" && a.rightOrigin !== b.rightOrigin)
        return rank(a.rightOrigin) > rank(b.rightOrigin);
      return a.agent === b.agent ? a.counter < b.counter : a.agent < b.agent;
    };
    const at = siblings.findIndex((sibling) => before(placed, sibling));
    siblings.splice(at === -1 ? siblings.length : at, 0, placed);
    this.nodes.set(insertion.id, placed);
    return placed;
  }

  private order(): Node[] {
    const result: Node[] = [];
    const visit = (each: Node): void => {
      each.lefts.forEach(visit);
      if (each !== this.top) result.push(each);
      each.rights.forEach(visit);
    };
    visit(this.top);
    return result;
  }

  private descends(each: Node, ancestor: Node): boolean {
    let at = each;
    while (at !== this.top) {
      if (at === ancestor) return true;
      at = this.get(at.parent ?? "top");
    }
    return ancestor === this.top;
  }
}

function node(insertion: Insertion): Node {
  return { ...insertion, lefts: [], rights: [], deletions: new Set() };
}
