package sshserver

import (
	"time"

	"flightdesk/api"
)

// Limits of the resources that clients can use. The package documentation lists them. The name of a
// limit per person or per address ends in "Of".
const (
	maxStrangers     = 200 // connections without a login, in all
	maxStrangersOf   = 100 // connections without a login, of one address
	maxConnections   = 160 // connections with a login, in all
	maxConnectionsOf = 8   // connections with a login, of one person

	maxGuests      = 64  // sessions of guests, in all
	maxOperators   = 16  // sessions of operations users, in all
	maxSessionsOf  = 4   // sessions of one person, and of one connection
	maxViewers     = 16  // sessions of the viewer, a name that several people share
	maxRefused     = 100 // refused channels of one connection
	maxVariables   = 16  // environment variables of one session
	maxUserFolders = 200

	maxWidth   = 300     // columns of the largest terminal that is drawn
	maxHeight  = 100     // rows of the largest terminal that is drawn
	maxCells   = 600_000 // cells of all terminals
	maxCellsOf = 60_000  // cells of the terminals of one person
	minCells   = 80 * 24 // cells that every terminal gets

	maxFiles     = 2_000     // files and folders of one person
	maxBytes     = 512 << 20 // bytes of the files of one person, with perFile for each file
	maxRoomBytes = 4 << 30   // bytes of the files of all people
	perFile      = 4 << 10   // bytes that a file counts in addition to its size
	maxHandles   = 256       // open files and folders of all sftp sessions
	maxHandlesOf = 64        // open files and folders of one person's sftp sessions
	maxPacket    = 256 << 10 // bytes of an sftp packet
	maxPath      = 1024      // bytes of a path

	maxReadings    = 2                  // survey files being read at once, in all
	maxReadingsOf  = 1                  // survey files being read at once, of one person
	maxSurveyBytes = api.MaxUploadBytes // bytes of a survey file
	maxSites       = 5_000              // sites of a survey file and of a draft
	maxPoints      = 200_000            // points of these sites
)

// Limits of the speed of clients, per second unless a comment says otherwise.
const (
	keyRate, keyBurst           = 2 << 10, 16 << 10   // typed or pasted bytes
	requestRate, requestBurst   = 50, 200             // SSH requests
	sizeRate                    = 1_000               // received sizes of terminals
	resizeRate, resizeBurst     = 10, 2               // drawn sizes of terminals, of one person
	workRate, workBurst         = 500_000, 2_000_000  // microseconds of work of one person's apps
	operationRate, operateBurst = 1_000, 2_000        // sftp operations
	byteRate, byteBurst         = 4 << 20, 1 << 20    // received bytes of one person
	strangerRate, strangerBurst = 32 << 10, 128 << 10 // received bytes before the login
	rekeyEvery, rekeyBurst      = time.Second, 10     // time per key exchange of one connection
	logEvery, logBurst          = time.Second, 60     // time per log line about failed logins
)

// fullPause is how long the server waits after it has closed a connection to make room for a new one. Without
// the pause, strangers who connect very fast could push out a connection before its client can send anything.
// With the pause, a client has at least maxStrangersOf times fullPause.
const fullPause = 2 * time.Millisecond

// silentTime is how long the server waits for the first packets of a new connection.
func (o *Options) silentTime() time.Duration { return o.Patience / 3 }

// startTime is how long the server waits until a new session starts a program.
func (o *Options) startTime() time.Duration { return o.Patience / 3 }

// loginTime is how long a login may take.
func (o *Options) loginTime() time.Duration { return o.Patience * 4 }

// idleTime is how long a connection without a session stays open after the login.
func (o *Options) idleTime() time.Duration { return o.Patience * 4 }
