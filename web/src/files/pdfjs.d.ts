/** The part of PDF.js that the app uses; the package's own types know no worker that is already running. */
declare module "pdfjs-dist" {
  export interface PageViewport {
    readonly width: number;
    readonly height: number;
  }

  export interface PDFPageProxy {
    getViewport(options: { readonly scale: number }): PageViewport;
    render(options: { readonly canvas: HTMLCanvasElement; readonly viewport: PageViewport }): {
      readonly promise: Promise<void>;
      cancel(): void;
    };
  }

  export interface PDFDocumentProxy {
    readonly numPages: number;
    getPage(number: number): Promise<PDFPageProxy>;
  }

  export class PDFWorker {
    constructor(options: { readonly port: Worker });
    destroy(): void;
  }

  export function getDocument(options: {
    readonly data: Uint8Array;
    readonly worker: PDFWorker;
    /** Off: the policy of the page runs no WebAssembly. */
    readonly useWasm: boolean;
  }): { readonly promise: Promise<PDFDocumentProxy>; destroy(): Promise<void> };
}
