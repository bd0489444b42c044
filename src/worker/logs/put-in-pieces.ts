/**
 * In R2 all pieces of a multipart upload except the last must have the same size, at least 5 MiB.
 * Source: R2's documentation, "Multipart upload: limitations".
 */
const PIECE_BYTES = 5 * 1024 * 1024;

export type Upload = {
  readonly key: string;
  /** The sum of all chunks. */
  readonly bytes: number;
  readonly options: R2MultipartOptions;
  /** Gets the id of a multipart upload before the first piece is sent, so that an interrupted upload can be aborted. */
  readonly note: (uploadId: string) => void;
};

/** Writes an object of any size. Holds one piece and one chunk in memory. */
export async function putInPieces(
  bucket: R2Bucket,
  chunks: AsyncIterable<Uint8Array>,
  { key, bytes, options, note }: Upload,
): Promise<void> {
  if (bytes <= PIECE_BYTES) {
    for await (const only of piecesOf(chunks, bytes)) await bucket.put(key, only, options);
    return;
  }
  const upload = await bucket.createMultipartUpload(key, options);
  note(upload.uploadId);
  const uploaded: R2UploadedPart[] = [];
  for await (const piece of piecesOf(chunks, PIECE_BYTES))
    uploaded.push(await upload.uploadPart(uploaded.length + 1, piece));
  await upload.complete(uploaded);
}

/** Regroups the bytes into pieces of one size; the last may be shorter. A piece is valid until the next is requested. */
async function* piecesOf(chunks: AsyncIterable<Uint8Array>, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(pieceBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let taken = 0; taken < chunk.length;) {
      const next = chunk.subarray(taken, taken + pieceBytes - filled);
      piece.set(next, filled);
      taken += next.length;
      filled += next.length;
      if (filled < pieceBytes) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
