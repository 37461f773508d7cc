package server

import (
	"net/url"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

const filesPath = "/files/"

// linkSealer creates and verifies the links of files. The token of a link is the ID of
// the file and the expiry, with a MAC of both and the name of the file. Links are not
// stored.
type linkSealer struct{ secret []byte }

const linkMACBytes = 24

var (
	errLink = newFault(api.CodeNotYourResource,
		"the link is not valid; list the files again to get a new one")
	errLinkExpired = newFault(api.CodeLinkExpired,
		"the link has expired; list the files again to get a new one")
)

// linkPath returns the path of a link to a file.
func (s linkSealer) linkPath(id int64, name string, expires time.Time) string {
	token := sealToken(s.secret, linkMACBytes, nil, name, [2]int64{id, expires.Unix()})
	return filesPath + token + "/" + url.PathEscape(name)
}

// verifyLink returns the ID of the file that a link is for. If the link has expired, it
// returns the ID and errLinkExpired. If the link was not created by linkPath, it returns
// errLink.
func (s linkSealer) verifyLink(token, name string, now time.Time) (int64, error) {
	numbers, ok := openToken(s.secret, linkMACBytes, nil, name, token)
	if !ok {
		return 0, errLink
	}
	if now.Unix() >= numbers[1] {
		return numbers[0], errLinkExpired
	}
	return numbers[0], nil
}

// linkTo returns a signed URL of a file. It is valid for linkLife.
func (b *handlerBase) linkTo(x *exchange, f store.File) string {
	return b.origin(x.r) + b.links.linkPath(f.ID, f.Name, b.now().Add(linkLife))
}

// linkLife is how long a link is valid, by the clock of the service.
const linkLife = 24 * time.Hour
