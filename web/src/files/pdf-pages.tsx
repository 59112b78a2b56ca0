import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { openPdf } from "./read-pdf.ts";

/** The most pages that are laid out. */
const pagesMax = 200;
/** Pixels of the page's longer side at most, on a screen of any density. */
const pixelsMax = 2_400;

/** The pages of a PDF, each drawn when it is first looked at; `otherwise` where they cannot be shown. */
export function PdfPages({ file, otherwise }: { readonly file: File; readonly otherwise: React.ReactNode }) {
  const [document, setDocument] = useState<PDFDocumentProxy | "failed" | null>(null);
  useEffect(() => {
    let close: (() => void) | null = null;
    let isOver = false;
    openPdf(file).then(
      (opened) => {
        if (isOver) return opened.close();
        close = opened.close;
        setDocument(opened.document);
      },
      () => setDocument("failed"),
    );
    return () => {
      isOver = true;
      close?.();
    };
  }, [file]);
  if (document === null) return <p aria-busy="true">Opening the pages…</p>;
  if (document === "failed") return otherwise;
  const { numPages } = document;
  const shown = Math.min(numPages, pagesMax);
  return (
    <div className="pdf-pages" role="group" aria-label={`Pages of ${file.name}`} tabIndex={0}>
      {Array.from({ length: shown }, (_, index) => (
        <PdfPage key={index} document={document} number={index + 1} />
      ))}
      {shown < numPages && (
        <p className="quiet">
          The first {shown} of {numPages} pages are shown.
        </p>
      )}
    </div>
  );
}

function PdfPage({ document, number }: { readonly document: PDFDocumentProxy; readonly number: number }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<"waiting" | "drawn" | "failed">("waiting");
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    let stop: (() => void) | null = null;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      draw(document, number, canvas, (cancel) => {
        stop = cancel;
      }).then(
        () => setState("drawn"),
        () => setState("failed"),
      );
    });
    seen.observe(canvas);
    return () => {
      seen.disconnect();
      stop?.();
    };
  }, [document, number]);
  return (
    <>
      <canvas ref={ref} role="img" aria-label={`Page ${number}`} data-state={state} width={600} height={800} />
      {state === "failed" && <p className="quiet">Page {number} cannot be shown.</p>}
    </>
  );
}

/** Draws a page in the canvas's width; `onStart` gets what cancels it. */
async function draw(
  document: PDFDocumentProxy,
  number: number,
  canvas: HTMLCanvasElement,
  onStart: (cancel: () => void) => void,
): Promise<void> {
  const page = await document.getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  const wanted = (canvas.clientWidth * devicePixelRatio) / width;
  const scale = Math.min(wanted, pixelsMax / Math.max(width, height));
  const viewport = page.getViewport({ scale });
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  const task = page.render({ canvas, viewport });
  onStart(() => task.cancel());
  await task.promise;
}
