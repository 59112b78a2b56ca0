/** How many trees are open at each root. */
const countsByRoot = new Map<string, number>();

/** Records that a tree is open at a root: agents may write there. Returns how to record that it is closed. */
export function noteOpenRoot(root: string): () => void {
  countsByRoot.set(root, (countsByRoot.get(root) ?? 0) + 1);
  let isClosed = false;
  return () => {
    if (isClosed) return;
    isClosed = true;
    const left = (countsByRoot.get(root) ?? 1) - 1;
    if (left === 0) countsByRoot.delete(root);
    else countsByRoot.set(root, left);
  };
}

/** Returns the roots of all trees that this process has open: no program is started from any of them. */
export function openRoots(): readonly string[] {
  return [...countsByRoot.keys()];
}
