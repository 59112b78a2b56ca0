import { createContext, useContext, useEffect, useState } from "react";
import { readBlob } from "../browser/blob-client.ts";
import { type ShownPicture, ShownPictures } from "../browser/shown-pictures.ts";
import { pictureAddress } from "./picture.ts";

/** Uploaded pictures: the same for every document and message. */
export const uploadedPictures = new ShownPictures((address) => {
  const named = pictureAddress(address);
  return named?.type === "blob" ? readBlob(named.id, new AbortController().signal) : Promise.resolve(null);
});

/** Where pictures of the shown text come from; without a document, from uploads alone. */
export const PicturesContext = createContext<ShownPictures>(uploadedPictures);

/** A picture with its caption; its words where it cannot be shown. */
export function Picture(props: { readonly address: string; readonly caption: string; readonly width: number | null }) {
  const { address, caption, width } = props;
  const pictures = useContext(PicturesContext);
  const [shown, setShown] = useState<ShownPicture | "away" | null>(() => pictures.loaded(address));
  useEffect(() => {
    let gone = false;
    void pictures.show(address).then((picture) => {
      if (!gone) setShown(picture ?? "away");
    });
    return () => {
      gone = true;
    };
  }, [pictures, address]);
  const words = caption === "" ? "picture" : `picture: ${caption}`;
  if (shown === "away") return <span className="picture">[{words}, which is not here]</span>;
  return (
    <span className="picture-frame" aria-busy={shown === null}>
      {shown !== null && (
        <img src={shown.url} alt={caption} width={width ?? shown.width} style={{ aspectRatio: ratio(shown) }} />
      )}
      {caption !== "" && <span className="picture-caption">{caption}</span>}
    </span>
  );
}

function ratio({ width, height }: ShownPicture): string {
  return `${width} / ${height}`;
}
