import { useEffect, useMemo, useState } from "react";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import type { Syntax } from "../../../src/core/syntax/base/syntax.ts";
import { readDialect } from "../../../src/core/syntax/read-dialect.ts";
import { syntaxes } from "../../../src/core/syntax/registry.ts";
import { useApp } from "../ui/app-context.ts";

type SyntaxFile = CommandAnswer<"models.syntaxes">["files"][number];

/** Returns the syntaxes that the server offers, the built-in ones until it has answered, and its files with a mistake. */
export function useSyntaxes(): { readonly known: readonly Syntax[]; readonly problems: readonly SyntaxFile[] } {
  const { client } = useApp();
  const [files, setFiles] = useState<readonly SyntaxFile[]>([]);
  useEffect(() => {
    let isOpen = true;
    void client.call("models.syntaxes", {}).then((answer) => {
      if (isOpen && answer.ok) setFiles(answer.value.files);
    });
    return () => {
      isOpen = false;
    };
  }, [client]);
  return useMemo(() => {
    const own = files.flatMap(({ problem, text }) => {
      const read = problem === null ? readDialect(text) : null;
      return read?.ok === true ? [read.value] : [];
    });
    return { known: [...syntaxes, ...own], problems: files.filter(({ problem }) => problem !== null) };
  }, [files]);
}
