// Package standin answers like services that follow the specification in other ways
// than this project's server. It is for tests of the client, the commands and the app.
package standin
