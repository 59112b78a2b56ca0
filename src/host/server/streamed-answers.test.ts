import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAppFiles } from "./app-files.ts";
import { sendStreamed } from "./http/send-streamed.ts";

let folder = "";
let http: Server;
/** The addresses of answers that have ended, with their errors. */
const ended: string[] = [];

async function* piecesOf(url: string): AsyncGenerator<string, void, undefined> {
  yield "a beginning";
  if (url.endsWith("breaks-off")) throw new Error("the store is closed");
  for (;;) yield "more ".repeat(10_000);
}

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "heddle-app-files-")));
  await writeFile(join(folder, "index.html"), "<!doctype html>");
  await writeFile(join(folder, "large.js"), Buffer.alloc(16 * 1024 * 1024, 97));
  const files = openAppFiles(folder);
  http = createServer((request, response) => {
    const { url = "/" } = request;
    const answered = url.startsWith("/pieces")
      ? sendStreamed(request, response, { type: "text/plain", pieces: piecesOf(url) })
      : files.serve(request, response, url);
    answered.then(
      () => ended.push(url),
      (problem: Error) => ended.push(`${url}: ${problem.message}`),
    );
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
});

afterAll(async () => {
  http.closeAllConnections();
  http.close();
  await rm(folder, { recursive: true });
});

/** Returns how many files of the app this process has open. */
function open(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

describe("a file of the app", () => {
  test.runIf(process.platform === "linux")(
    "is not open while its readers read it, however many there are",
    async () => {
      const { port } = http.address() as AddressInfo;
      const sockets = Array.from({ length: 5 }, () => connect(port, "127.0.0.1"));
      for (const socket of sockets) {
        socket.write("GET /large.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await once(socket, "data");
        socket.pause();
      }
      expect(open()).toBe(0);
      for (const socket of sockets) socket.destroy();
    },
  );

  test("is sent packed or, to a reader that takes no coding, as what the packed one holds", async () => {
    await writeFile(join(folder, "script.js.gz"), gzipSync("let packed;"));
    await writeFile(join(folder, "index.html"), "<!doctype html>\n");
    const { port } = http.address() as AddressInfo;
    const ask = (headers: Readonly<Record<string, string>>) => fetch(`http://127.0.0.1:${port}/script.js`, { headers });
    const [packed, plain] = [
      await ask({ "accept-encoding": "gzip, br" }),
      await ask({ "accept-encoding": "identity" }),
    ];
    expect([packed.headers.get("content-encoding"), await packed.text()]).toEqual(["gzip", "let packed;"]);
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, "let packed;"]);
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  });

  test("is read again after the page was built again", async () => {
    const { port } = http.address() as AddressInfo;
    const script = async () => (await fetch(`http://127.0.0.1:${port}/small.js`)).text();
    await writeFile(join(folder, "small.js"), "old");
    await utimes(join(folder, "index.html"), 1, 1);
    expect(await script()).toBe("old");
    await writeFile(join(folder, "small.js"), "new");
    await utimes(join(folder, "index.html"), 2, 2);
    expect(await script()).toBe("new");
  });
});

describe("a streamed answer", () => {
  test.each(["gzip", "identity"])(
    "(%s) fails if its source fails, and not if its reader disconnects",
    async (coding) => {
      const { port } = http.address() as AddressInfo;
      const ask = async (path: string): Promise<void> => {
        ended.length = 0;
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${coding}\r\n\r\n`);
        await once(socket.resume(), path.endsWith("breaks-off") ? "close" : "data");
        socket.destroy();
        await expect.poll(() => ended).toHaveLength(1);
      };
      await ask("/pieces/breaks-off");
      expect(ended).toEqual(["/pieces/breaks-off: the store is closed"]);
      await ask("/pieces/never-end");
      expect(ended).toEqual(["/pieces/never-end"]);
    },
  );
});
