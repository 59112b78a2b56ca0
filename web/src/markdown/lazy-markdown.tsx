import { lazy, Suspense } from "react";

// Asked for at once and beside the first chunk: the page can be drawn while the reader of Markdown still comes.
const coming = import("./markdown.tsx");
const Reader = lazy(async () => ({ default: (await coming).Markdown }));

/** Shows Markdown; its plain words until the reader is here. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="markdown waits">{text}</p>}>
      <Reader text={text} />
    </Suspense>
  );
}
