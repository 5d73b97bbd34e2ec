import { assert, assertEquals } from "@std/assert";
import { isHashed } from "../../src/static/hashed_name.ts";

/** Names as bundlers write them; some of each are told by too little, and only cost a 304. */
const hashed: Readonly<Record<string, readonly string[]>> = {
  "Vite": ["assets/index-DkK2a9xZ.css", "assets/react-CHdo91hT.svg", "assets/index-C3qTDWxo.js", "logo-B4x9Kq2L.svg"],
  "Rollup 4": ["main-BrRj3xZn.js", "chunk-CEy1g5Zt.js", "vendor-D9f2kX4a.js", "main-BrRj3xZn.js.map"],
  "Rollup 3": ["main-4b3d2a1f.js", "shared-0c9e8f71.js"],
  "webpack": [
    "main.8d2f3a1b9c0d4e5f6a7b.js",
    "787.5f3b2c1a.chunk.js",
    "main.3f9a12bc.chunk.css.map",
    "runtime~main.a1b2c3d4.js",
    "app.3f9a12bc0d.min.js",
    "x.0123456789abcdef.js.map",
    "font.f4c2a7d1e8b03c59f4c2a7d1e8b03c59.woff2",
  ],
  "esbuild": ["app-5CQHWM5F.js", "chunk-VWCQPQ3K.js", "main-2YXU3MKD.css", "styles-F4PQ7ZTR.css"],
  "Parcel": ["index.b71e74eb.js", "src.e31bb0bc.js", "logo.3f9a12bc.png"],
  "Next.js": ["_next/static/chunks/main-app-0f1a2b3c4d5e6f70.js"],
  "SvelteKit": ["_app/immutable/entry/start.DkK2a9xZ.js", "_app/immutable/nodes/0.Br7xK2qz.js"],
  "Astro": ["_astro/index.Br7xK2qz.css", "_astro/hero.BX3kq9Zt_Z1abCd.webp"],
};

const ordinary: readonly string[] = [
  "app.js",
  "index.html",
  "jquery-3.7.1.min.js",
  "bootstrap.bundle.min.js",
  "my-component.css",
  "read-documents.js",
  "version-20261115.txt",
  "report-2026-11-15.pdf",
  "IMG_20261115.jpg",
  "photo-DSC01234.jpg",
  "photo-DSCN2345.jpg",
  "case-iPhone12.png",
  "case-iPhone15Pro.png",
  "model-MacBook14.png",
  "lib-Win32App.js",
  "codec-Base64Js.js",
  "text-Utf8Text.txt",
  "video-H264High.mp4",
  "clip-MP4Video.mp4",
  "font-Inter700.woff2",
  "font-Roboto400.woff2",
  "paper-ISO27001.pdf",
  "spec-RFC23456.txt",
  "menu-cafe2026.png",
  "menu-2026cafe.png",
  "my-big-page.css",
  "Report-FinalV22.docx",
  "avatar-550e8400-e29b-41d4-a716-44665544abcd.png",
  "mongo-507f1f77bcf86cd799439011.png",
  "commit-3f9a12b.txt",
  "users.Controller.js",
  "de-CH.json",
  "main.SNAPSHOT.js",
  "chunk-VENDORJS.js",
  "poster-Oktober2026.png",
  "3f9a12bc.js",
];

Deno.test("isHashed() knows the hashes of bundlers", () => {
  for (const [bundler, names] of Object.entries(hashed)) {
    for (const name of names) assert(isHashed(name), `${bundler}: ${name}`);
  }
});

Deno.test("isHashed() does not take words, dates, numbers and ids for hashes", () => {
  assertEquals(ordinary.filter(isHashed), []);
});
