// Package standin has forms in which services answer that speak the specification in
// another way than this project's server. It is for tests: of the client, of the
// commands and of the app.
package standin
