module flightdesk

go 1.26

require github.com/paulmach/orb v0.14.0
