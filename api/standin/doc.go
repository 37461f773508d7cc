// Package standin has responses of services that follow the specification in other ways than
// this project's server. Tests of the client, the commands and the app use them.
package standin
