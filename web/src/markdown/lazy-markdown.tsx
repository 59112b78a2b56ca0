import { loadCode } from "../browser/load-code.ts";
import { lazy, Suspense } from "react";

// Requested at once, in parallel with the first chunk, so that the page renders before the Markdown parser arrives.
const coming = loadCode(() => import("./markdown.tsx"));
const Reader = lazy(async () => ({ default: (await coming).Markdown }));

/** Shows Markdown; plain text until the parser is loaded. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="markdown waits">{text}</p>}>
      <Reader text={text} />
    </Suspense>
  );
}
