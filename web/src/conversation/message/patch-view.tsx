/** A unified diff with lines marked by sign and colour. */
export function PatchView({ patch }: { readonly patch: string }) {
  const lines = patch.replace(/\n$/u, "").split("\n");
  return (
    <pre className="patch" tabIndex={0} role="region" aria-label="Patch">
      {lines.map((line, index) => (
        <span key={index} className={kindOf(line)}>
          {line === "" ? " " : line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function kindOf(line: string): string | undefined {
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+++") || line.startsWith("---")) return "file";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : undefined;
}
