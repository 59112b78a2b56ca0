import { getDocument, PDFWorker, type PDFDocumentProxy } from "pdfjs-dist";
import { startWorker } from "../browser/start-worker.ts";
// oxlint-disable-next-line import/default -- Vite gives the address of the file
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url";

/** An open PDF; `close` ends its worker. */
export interface OpenPdf {
  readonly document: PDFDocumentProxy;
  readonly close: () => void;
}

/** Opens a PDF in a worker of its own. Rejects where it is damaged or needs a password. */
export async function openPdf(file: File): Promise<OpenPdf> {
  const port = startWorker(workerAddress);
  const worker = new PDFWorker({ port });
  const loading = getDocument({ data: new Uint8Array(await file.arrayBuffer()), worker, useWasm: false });
  const close = (): void => {
    void loading.destroy().finally(() => {
      worker.destroy();
      port.terminate();
    });
  };
  try {
    return { document: await loading.promise, close };
  } catch (problem) {
    close();
    throw problem;
  }
}
