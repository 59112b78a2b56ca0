/** What `node:http` keeps on the socket of a request; see `lib/_http_common.js` there. */
interface ParsedSocket {
  readonly destroyed: boolean;
  readonly parser?: { onIncoming?: unknown } | null;
}

/** What a parser is told in place of an upgrade: whatever follows in the piece is no HTTP. */
const restIsNoHttp = 2;

/**
 * Lets the parser of a new connection leave the rest of a piece unread once the connection has ended. One piece holds more than a
 * thousand requests, for each of which Node would otherwise make two objects and, at the end, an error with its stack: 45 ms, in
 * which nobody's keystroke is taken. Where Node keeps its parser otherwise, everything is read as before.
 */
export function parseNoMoreAfterEnd(socket: ParsedSocket): void {
  const { parser } = socket;
  const onIncoming = parser?.onIncoming;
  if (parser === undefined || parser === null || typeof onIncoming !== "function") return;
  parser.onIncoming = (...given: readonly unknown[]): unknown =>
    socket.destroyed ? restIsNoHttp : Reflect.apply(onIncoming, parser, given);
}
