import { readdir, rm } from "node:fs/promises";

/** Deletes uploads that nobody came back for. */
export async function cleanUploads(folder: string) {
  for (const name of await readdir(folder)) await rm(`${folder}/${name}`);
}
