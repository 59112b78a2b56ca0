import { parentPort, workerData } from "node:worker_threads";
import { must } from "../../core/base/assert.ts";
import { pageMarkdown } from "./page-markdown.ts";

const { html, url } = workerData as { readonly html: string; readonly url: string };
const port = must(parentPort, "this file runs in a thread");
port.postMessage(pageMarkdown(html, url));
