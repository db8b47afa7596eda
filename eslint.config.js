import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import globals from "globals";

export default defineConfig([
  { ignores: ["**/vendor/", "node_modules/", ".*/"] },
  {
    files: ["gradreel/player/web/**/*.js", "tests/**/*.{js,mjs}", "eslint.config.js"],
    extends: [js.configs.recommended],
    rules: {
      "max-len": ["error", { code: 120 }],
      "no-unused-vars": ["error", { args: "after-used" }],
    },
  },
  { files: ["gradreel/player/web/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/**/*.{js,mjs}", "eslint.config.js"], languageOptions: { globals: globals.node } },
]);
