import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";

// The graphics card, the sandbox and everything that contacts other hosts are off: a test machine has none of them.
const launchArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--font-render-hinting=none",
];

// The package's own list names folders of another machine. Its font comes first; the machine's fonts add what it lacks.
const fontSettings = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts/cache</cachedir>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

/** What runs now, for whoever looks at a page of a test that failed. */
export const openBrowsers = new Set<Browser>();

/** Starts a headless Chromium that needs nothing installed on the machine; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const folder = await unpackedChromium();
  const libraries = join(folder, "al2023", "lib");
  const inherited = process.env["LD_LIBRARY_PATH"];
  const browser = await chromium.launch({
    executablePath: join(folder, "chromium"),
    args: launchArguments,
    env: {
      ...process.env,
      FONTCONFIG_PATH: join(folder, "fonts"),
      LD_LIBRARY_PATH: inherited === undefined ? libraries : `${inherited}${delimiter}${libraries}`,
    },
  });
  openBrowsers.add(browser);
  browser.on("disconnected", () => openBrowsers.delete(browser));
  return browser;
}

/**
 * The folder of the browser with its libraries and fonts, unpacked once per release. It is built elsewhere and renamed
 * when complete, so that test processes that start together never see a partial copy.
 */
async function unpackedChromium(): Promise<string> {
  const packageFile = join(
    dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")),
    "..",
    "package.json",
  );
  const { version } = JSON.parse(await readFile(packageFile, "utf8")) as { readonly version: string };
  const folder = join(tmpdir(), `heddle-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(folder)) return folder;

  const packed = join(dirname(packageFile), "bin");
  const staging = await mkdtemp(`${folder}-`);
  await unpackFile(join(packed, "chromium.br"), join(staging, "chromium"));
  await unpackArchive(join(packed, "swiftshader.tar.br"), staging);
  await unpackArchive(join(packed, "fonts.tar.br"), join(staging, "fonts"));
  await writeFile(join(staging, "fonts", "fonts.conf"), fontSettings(folder));
  await unpackArchive(join(packed, "al2023.tar.br"), join(staging, "al2023"));
  try {
    await rename(staging, folder);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process finished first; its copy is used.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function unpackFile(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode: 0o700 }));
}

async function unpackArchive(from: string, to: string): Promise<void> {
  const archive = `${to}.unpacking.tar`;
  await unpackFile(from, archive);
  await mkdir(to, { recursive: true });
  await promisify(execFile)("tar", ["-xf", archive, "-C", to]);
  await rm(archive);
}
