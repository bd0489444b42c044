import type { App } from "./app.ts";

/**
 * A program below `cmd`, and a package that it uses. The example cannot be built, like other examples that need
 * modules.
 */
export const go: App = {
  framework: "go",
  files: {
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "cmd/server/main.go": `package main

import (
	"net/http"
	"os"

	"example.com/shop/internal/text"
)

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		response.Write([]byte(text.Hello))
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`,
    "internal/text/text.go": 'package text\n\nconst Hello = "Go"\n',
    "examples/broken/main.go":
      'package main\n\nimport "example.com/missing"\n\nfunc main() { missing.Run() }\n',
  },
  pages: { "/": "Go" },
};
