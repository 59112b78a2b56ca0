import { useCallback, useState } from "react";

const open = new Set<string>();

/** Whether a part that a person opens and closes is open: as they left it, also after what it belongs to was away from the page. */
export function useKeptOpen(key: string): readonly [boolean, (next: boolean) => void] {
  const [isOpen, setIsOpen] = useState(() => open.has(key));
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
