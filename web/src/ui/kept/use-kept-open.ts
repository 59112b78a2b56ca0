import { useCallback, useState } from "react";

const open = new Set<string>();

/**
 * Whether a part that a person opens and closes is open: as they left it, also after what it belongs to was away from the page.
 * With `opens` it is open in any case when it comes.
 */
export function useKeptOpen(key: string, opens = false): readonly [boolean, (next: boolean) => void] {
  const [isOpen, setIsOpen] = useState(() => opens || open.has(key));
  const keep = useCallback(
    (next: boolean) => {
      if (next) open.add(key);
      else open.delete(key);
      setIsOpen(next);
    },
    [key],
  );
  return [isOpen, keep];
}
