import { type RefObject, useLayoutEffect } from "react";

/** Lets a text field be as high as its text; the style sheet sets the most. */
export function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight + 2}px`;
  }, [field, text]);
}
