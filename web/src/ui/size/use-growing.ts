import { type RefObject, useLayoutEffect } from "react";

/** Sets a text field's height to its text's; the style sheet sets the maximum. */
export function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight + 2}px`;
  }, [field, text]);
}
