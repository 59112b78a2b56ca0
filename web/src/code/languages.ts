import type { Parser } from "@lezer/common";

/** A language that code can be highlighted in. */
export interface CodeLanguage {
  readonly name: string;
  /** What people write behind a fence, in small letters. */
  readonly names: readonly string[];
  /** Ends of file names without the dot, or whole names. */
  readonly files: readonly string[];
  readonly load: () => Promise<Parser>;
}

const script = (dialect: string) => async () => (await import("@lezer/javascript")).parser.configure({ dialect });

/** A grammar of the older kind, read line by line. */
async function streamed<Mode>(mode: Promise<Record<string, Mode>>, name: string): Promise<Parser> {
  const [{ StreamLanguage }, found] = await Promise.all([import("@codemirror/language"), mode]);
  // The modes are described as plain records of parsers; StreamLanguage takes each as it is.
  return StreamLanguage.define(found[name] as Parameters<typeof StreamLanguage.define>[0]).parser;
}

const clike = () => import("@codemirror/legacy-modes/mode/clike");

/** Every language, in the order in which it is looked for. */
export const languages: readonly CodeLanguage[] = [
  {
    name: "JavaScript",
    names: ["javascript", "js", "jsx", "mjs", "node"],
    files: ["js", "jsx", "mjs", "cjs"],
    load: script("jsx"),
  },
  { name: "TypeScript", names: ["typescript", "ts", "mts"], files: ["ts", "mts", "cts"], load: script("ts") },
  { name: "TSX", names: ["tsx"], files: ["tsx"], load: script("ts jsx") },
  {
    name: "Python",
    names: ["python", "py", "python3"],
    files: ["py", "pyi"],
    load: async () => (await import("@lezer/python")).parser,
  },
  {
    name: "JSON",
    names: ["json", "jsonc", "json5"],
    files: ["json", "jsonl", "webmanifest"],
    load: async () => (await import("@lezer/json")).parser,
  },
  {
    name: "CSS",
    names: ["css", "scss", "less"],
    files: ["css", "scss", "less"],
    load: async () => (await import("@lezer/css")).parser,
  },
  {
    name: "HTML",
    names: ["html", "htm", "vue", "svelte"],
    files: ["html", "htm"],
    load: async () => (await import("@lezer/html")).parser,
  },
  {
    name: "XML",
    names: ["xml", "svg"],
    files: ["xml", "svg", "plist"],
    load: async () => (await import("@lezer/xml")).parser,
  },
  {
    name: "YAML",
    names: ["yaml", "yml"],
    files: ["yaml", "yml"],
    load: async () => (await import("@lezer/yaml")).parser,
  },
  { name: "Java", names: ["java"], files: ["java"], load: async () => (await import("@lezer/java")).parser },
  { name: "Rust", names: ["rust", "rs"], files: ["rs"], load: async () => (await import("@lezer/rust")).parser },
  { name: "Go", names: ["go", "golang"], files: ["go"], load: async () => (await import("@lezer/go")).parser },
  {
    name: "C++",
    names: ["c", "cpp", "c++", "cc", "h", "hpp"],
    files: ["c", "h", "cc", "cpp", "hpp", "cxx"],
    load: async () => (await import("@lezer/cpp")).parser,
  },
  {
    name: "Shell",
    names: ["shell", "sh", "bash", "zsh", "console", "shellsession"],
    files: ["sh", "bash", "zsh"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/shell"), "shell"),
  },
  { name: "C#", names: ["csharp", "cs", "c#"], files: ["cs"], load: () => streamed(clike(), "csharp") },
  { name: "Kotlin", names: ["kotlin", "kt"], files: ["kt", "kts"], load: () => streamed(clike(), "kotlin") },
  { name: "Scala", names: ["scala"], files: ["scala"], load: () => streamed(clike(), "scala") },
  { name: "Dart", names: ["dart"], files: ["dart"], load: () => streamed(clike(), "dart") },
  {
    name: "Swift",
    names: ["swift"],
    files: ["swift"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/swift"), "swift"),
  },
  {
    name: "Ruby",
    names: ["ruby", "rb"],
    files: ["rb", "Gemfile", "Rakefile"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/ruby"), "ruby"),
  },
  {
    name: "Lua",
    names: ["lua"],
    files: ["lua"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/lua"), "lua"),
  },
  { name: "R", names: ["r"], files: ["r", "R"], load: () => streamed(import("@codemirror/legacy-modes/mode/r"), "r") },
  {
    name: "Perl",
    names: ["perl", "pl"],
    files: ["pl", "pm"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/perl"), "perl"),
  },
  {
    name: "PowerShell",
    names: ["powershell", "ps1", "pwsh"],
    files: ["ps1"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/powershell"), "powerShell"),
  },
  {
    name: "Haskell",
    names: ["haskell", "hs"],
    files: ["hs"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/haskell"), "haskell"),
  },
  {
    name: "Clojure",
    names: ["clojure", "clj"],
    files: ["clj", "cljs", "edn"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/clojure"), "clojure"),
  },
  {
    name: "SQL",
    names: ["sql", "postgresql", "mysql", "sqlite"],
    files: ["sql"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/sql"), "standardSQL"),
  },
  {
    name: "TOML",
    names: ["toml"],
    files: ["toml"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/toml"), "toml"),
  },
  {
    name: "Properties",
    names: ["ini", "properties", "env"],
    files: ["ini", "cfg", "properties", "env"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/properties"), "properties"),
  },
  {
    name: "Dockerfile",
    names: ["dockerfile", "docker"],
    files: ["Dockerfile", "dockerfile"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/dockerfile"), "dockerFile"),
  },
  {
    name: "Diff",
    names: ["diff", "patch"],
    files: ["diff", "patch"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/diff"), "diff"),
  },
  {
    name: "CMake",
    names: ["cmake"],
    files: ["cmake", "CMakeLists.txt"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/cmake"), "cmake"),
  },
  {
    name: "LaTeX",
    names: ["latex", "tex"],
    files: ["tex", "sty"],
    load: () => streamed(import("@codemirror/legacy-modes/mode/stex"), "stex"),
  },
];

/** Returns the language that a fence names; null for an unknown one, which stays plain. */
export function languageNamed(name: string): CodeLanguage | null {
  const wanted = name.trim().toLowerCase();
  return wanted === "" ? null : (languages.find(({ names }) => names.includes(wanted)) ?? null);
}

/** Returns the language of a file by its name. */
export function languageOfFile(path: string): CodeLanguage | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return languages.find(({ files }) => files.includes(name) || files.includes(ending)) ?? null;
}

const parsers = new Map<CodeLanguage, Promise<Parser | null>>();
const loaded = new Map<CodeLanguage, Parser>();

/** Loads a grammar once; null where it cannot be loaded, so that the text stays plain. */
export function loadParser(language: CodeLanguage): Promise<Parser | null> {
  let coming = parsers.get(language);
  if (coming === undefined) {
    coming = language.load().then(
      (parser) => {
        loaded.set(language, parser);
        return parser;
      },
      () => {
        parsers.delete(language);
        return null;
      },
    );
    parsers.set(language, coming);
  }
  return coming;
}

/** Returns a grammar that is there already. */
export function loadedParser(language: CodeLanguage): Parser | null {
  return loaded.get(language) ?? null;
}
