// A page with nothing but a reply, which Streamdown draws once a frame while its pieces come.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { Streamdown } from "streamdown";

globalThis.streamPeer = (pieces, piecesPerSecond) => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const begun = performance.now();
  let text = "";
  let at = 0;
  let coming = false;
  const draw = () => {
    coming = false;
    root.render(createElement(Streamdown, null, text));
  };
  setInterval(() => {
    const until = Math.min(pieces.length, ((performance.now() - begun) * piecesPerSecond) / 1000);
    for (; at < until; at += 1) text += pieces[at];
    if (!coming) requestAnimationFrame(draw);
    coming = true;
  }, 5);
};
