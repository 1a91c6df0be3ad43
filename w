(;FF[4]GM[1]CA[UTF-8]SZ[6]KM[19]RU[Tromp-Taylor]
;B[dc])
