// Command screenshots draws the pictures of the documentation from the app
// itself, which it drives on the service with its sample orders at a fixed
// time. It needs no terminal and no network.
//
//	go run ./screenshots          rewrites the pictures that have changed
//	go run ./screenshots -check   fails if there are any
//
// Beside the pictures of a scene, dark and light, lies its text. Pictures and
// texts that no scene makes are removed.
package main
