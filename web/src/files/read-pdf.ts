import { getDocument, PDFWorker, type PDFDocumentProxy } from "pdfjs-dist";
// oxlint-disable-next-line import/default -- Vite gives the address of the file
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url";

interface ScriptPolicy {
  readonly createScriptURL: (address: string) => string;
}

/** What pages without trusted types lack. */
interface TrustedTypes {
  readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy;
}

let policy: ScriptPolicy | null = null;

/** Returns an address that a worker may be started from: one of this server alone. */
function scriptAddress(address: string): string {
  const rules: ScriptPolicy = {
    createScriptURL(given) {
      if (new URL(given, location.href).origin !== location.origin) throw new TypeError("not a script of this server");
      return given;
    },
  };
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("heddle-script", rules) ?? rules;
  return policy.createScriptURL(address);
}

/** An open PDF; `close` ends its worker. */
export interface OpenPdf {
  readonly document: PDFDocumentProxy;
  readonly close: () => void;
}

/** Opens a PDF in a worker of its own. Rejects where it is damaged or needs a password. */
export async function openPdf(file: File): Promise<OpenPdf> {
  const port = new Worker(scriptAddress(workerAddress), { type: "module" });
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
