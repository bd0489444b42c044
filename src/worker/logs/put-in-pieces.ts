/**
 * R2 wants 5 MiB at least for each piece of a multipart upload but the last, and the same size for all but the last.
 * Source: R2's documentation, "Multipart upload: limitations".
 */
const PIECE_BYTES = 5 * 1024 * 1024;

export type Upload = {
  readonly key: string;
  /** Of all chunks together. */
  readonly bytes: number;
  readonly options: R2MultipartOptions;
  /** Notes the id of a multipart upload before anything is sent, so that one that is cut off can be given up. */
  readonly note: (uploadId: string) => void;
};

/** Puts an object of any size without ever holding more of it than a piece and a chunk. */
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

/** The same bytes in pieces of one size, but for the last. Each is valid until the next is asked for. */
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
