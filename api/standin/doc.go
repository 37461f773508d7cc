// Package standin has answers of services that speak the specification in
// another way than this project's server, and puts them between a client and
// that server. It is for tests: of the client, of the commands and of the app.
package standin
